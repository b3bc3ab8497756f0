import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors.ts';

const RETRY_MS = 1000;

/**
 * Retries a write that records an external effect, such as a sent message, until the storage accepts it. Rejects with the
 * reason of the signal, and with errors that are not storage faults.
 */
export async function untilStored<T>(signal: AbortSignal, store: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await delay(RETRY_MS, undefined, { signal });
    }
  }
}
