import { setTimeout as delay } from 'node:timers/promises';

/** A statement waits this long for another process's lock. */
const PATIENCE_MS = 1000;
const AGAIN_MS = 10;
const BUSY = 5;

/** Whether another process holds a lock that the statement needs. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === BUSY;

/**
 * Tries again for a while where another process is in the way. SQLite's own timeout would keep the event loop, and with
 * it everybody, for as long.
 */
export async function whileBusy<T>(attempt: () => T | Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await delay(AGAIN_MS);
  }
}
