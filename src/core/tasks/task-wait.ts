import type { FailureClass, TaskError } from '../../contract/task.ts';

/** What a task waits for between two attempts: a service that is away, or the reset of a usage limit. */
export type WaitReason = 'outage' | 'limit';

/** A service that asks for a wait this long has named a new reset. */
const LONG_WAIT_MS = 3_600_000;

const limits: readonly FailureClass[] = ['rate_limited', 'quota'];

export const waitReason = (failure: FailureClass): WaitReason =>
  limits.includes(failure) ? 'limit' : 'outage';

/**
 * Whether people should hear of a wait: its beginning, a change of its reason, and a usage limit that resets more than an
 * hour from now. Other retries of the same outage change only the time of the next one.
 */
export function isNewWait({
  outages,
  before,
  error,
  delayMs,
}: {
  outages: number;
  /** Why the attempt before failed. */
  before: Pick<TaskError, 'class'> | undefined;
  error: Pick<TaskError, 'class'>;
  delayMs: number;
}): boolean {
  const reason = waitReason(error.class);
  if (outages === 1 || before === undefined || waitReason(before.class) !== reason) return true;
  return reason === 'limit' && delayMs >= LONG_WAIT_MS;
}
