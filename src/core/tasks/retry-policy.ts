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

/** No wait during an outage is longer, unless the service asks for more. */
const MAX_OUTAGE_DELAY_MS = 15 * 60_000;
/** A run that worked for this long before it failed met another outage than the one before. */
const APART_MS = 60_000;

/** What a task knows of the outage that its runs fail of. */
export type Outage = Pick<TaskHead, 'outages' | 'outage_since'>;

/** The outage after one more failure at `now`, of a run that took `durationMs`; undefined once it lasts too long to wait. */
export function nextOutage(
  before: Outage,
  { now, durationMs, limitMs }: { now: Date; durationMs: number; limitMs: number },
): (Outage & { outage_since: string }) | undefined {
  const isSame = before.outage_since !== null && durationMs < APART_MS;
  const since = isSame && before.outage_since !== null ? before.outage_since : now.toISOString();
  if (now.getTime() - Date.parse(since) >= limitMs) return undefined;
  return { outages: isSame ? before.outages + 1 : 1, outage_since: since };
}

/** Milliseconds to wait during an outage: twice as long each time, and never shorter than the service asks for. */
export const outageDelay = (
  outages: number,
  settings: Pick<RetrySettings, 'backoff'>,
  random: () => number,
  retryAfterMs = 0,
): number => {
  const { backoff } = settings;
  const ceiling = Math.max(backoff, Math.min(backoff * 2 ** outages, MAX_OUTAGE_DELAY_MS));
  const delay = ceiling / 2 + (random() * ceiling) / 2;
  return Math.round(Math.max(delay, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
};
