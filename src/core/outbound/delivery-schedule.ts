const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const waits = [30_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];
/** Jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Milliseconds before the retry of a delivery that failed `attempts` times; undefined if there is none. The receiver's
 * Retry-After can only lengthen the delay, up to the next one in the schedule.
 */
export function delayAfter(attempts: number, random: () => number, askedMs = 0): number | undefined {
  const wait = waits[attempts - 1];
  if (wait === undefined) return undefined;
  const delay = Math.round(wait * (1 + JITTER * random()));
  return Math.max(delay, Math.min(askedMs, waits[attempts] ?? 0));
}

/** The longest delay without a Retry-After. */
export const longestDelayAfter = (attempts: number): number => delayAfter(attempts, () => 1) ?? 0;
