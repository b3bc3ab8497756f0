import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors.ts';

const AGAIN_MS = 1000;

/**
 * Stores what others know already, such as that something was sent, until the disk takes it. Rejects with the reason of
 * the signal, and with what is no fault of the storage.
 */
export async function untilStored<T>(signal: AbortSignal, store: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await delay(AGAIN_MS, undefined, { signal });
    }
  }
}
