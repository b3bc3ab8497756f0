import { setTimeout as delay } from 'node:timers/promises';

/** Asks until the answer is not undefined; answers undefined when it never was within `limitMs`. */
export async function poll<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  limitMs: number,
  everyMs = 15,
): Promise<T | undefined> {
  const end = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > end) return answer;
    await delay(everyMs);
  }
}
