import type { FailureClass } from '../../contract/task.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

export interface RetrySettings {
  /** How often a task is tried, the first time included. */
  attempts: number;
  /** Milliseconds; no wait is shorter. */
  backoff: number;
  type: 'exponential' | 'fixed';
}

/** No wait of our own choosing is longer. */
const MAX_DELAY_MS = 5 * 60_000;
/** A server may ask for more with Retry-After, up to this. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

const transient: ReadonlySet<FailureClass> = new Set([
  'rate_limited',
  'network',
  'timeout',
  'agent_crash',
  'agent_error',
  'unknown',
]);

/** True where another attempt may end differently. */
export const isTransient = (failure: FailureClass): boolean => transient.has(failure);

/** A command that exits with an error has answered, so it is run again only if its creator wants that. */
export const mayTryAgain = (failure: FailureClass, task: Pick<TaskHead, 'retry_on_failure'>): boolean =>
  failure === 'command_failed' ? task.retry_on_failure === 1 : isTransient(failure);

/**
 * Milliseconds before the next attempt: the backoff doubled for each attempt made, with all of it above the backoff
 * left to chance, so that tasks which failed together do not come back together.
 */
export function retryDelay(
  attemptsMade: number,
  settings: Pick<RetrySettings, 'backoff' | 'type'>,
  random: () => number,
  retryAfterMs = 0,
): number {
  const doubled = settings.type === 'fixed' ? settings.backoff : settings.backoff * 2 ** (attemptsMade - 1);
  const ceiling = Math.max(settings.backoff, Math.min(doubled, MAX_DELAY_MS));
  const delay = settings.backoff + random() * (ceiling - settings.backoff);
  return Math.round(Math.max(delay, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}
