const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const waits = [30_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];
/** Receivers that failed together are not asked again together. */
const JITTER = 0.1;

/**
 * Milliseconds before a delivery is sent again that has failed `attempts` times, or undefined when it is given up. What
 * the receiver asked for makes the delay longer, up to the next one, and never shorter.
 */
export function delayAfter(attempts: number, random: () => number, askedMs = 0): number | undefined {
  const wait = waits[attempts - 1];
  if (wait === undefined) return undefined;
  const delay = Math.round(wait * (1 + JITTER * random()));
  return Math.max(delay, Math.min(askedMs, waits[attempts] ?? 0));
}

/** The longest of those delays for whom nobody asked for more. */
export const longestDelayAfter = (attempts: number): number => delayAfter(attempts, () => 1) ?? 0;
