import { type Kill, killAndReopen, type Start } from './kill.ts';

const AT_ONCE = 3;

/** Points and calls are counted from 1. */
export const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Tries the kills, a few at a time; returns how many came before the end, and what was wrong after them. */
export async function tryKills(
  directory: string,
  start: Start,
  kills: readonly Kill[],
): Promise<{ killed: number; violations: string[] }> {
  const waiting = [...kills];
  const result = { killed: 0, violations: [] as string[] };
  const work = async () => {
    for (let kill = waiting.shift(); kill; kill = waiting.shift()) {
      const { wasKilled, violation } = await killAndReopen(directory, start, kill);
      if (wasKilled) result.killed++;
      const place = 'call' in kill ? kill.call : start.points[kill.at - 1];
      if (violation !== undefined) result.violations.push(`killed at ${kill.at} (${place}): ${violation}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return result;
}
