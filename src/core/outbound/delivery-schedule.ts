const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const waits = [30_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];
/** Receivers that failed together are not asked again together. */
const JITTER = 0.1;

/** Milliseconds before a delivery is sent again that has failed `attempts` times, or undefined when it is given up. */
export function delayAfter(attempts: number, random: () => number): number | undefined {
  const wait = waits[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * random()));
}

/** The longest of those delays. */
export const longestDelayAfter = (attempts: number): number => delayAfter(attempts, () => 1) ?? 0;
