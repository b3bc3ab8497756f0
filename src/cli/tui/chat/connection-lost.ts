import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** How long to wait before the first attempt to reach a daemon again. */
export const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 3_000;

/** How long to wait after an attempt that failed. */
export const nextDelay = (ms: number): number => Math.min(ms * 1.5, LONGEST_DELAY_MS);

/** Whether no daemon answers, or the connection broke. */
export const isLost = (error: unknown): boolean =>
  error instanceof CliError
    ? error.exitCode === exitCodes.unreachable
    : error instanceof Error && !(error instanceof ApiError) && 'code' in error;

/** Asks until the daemon answers; throws its errors, and the reason of the signal. */
export async function askUntilAnswered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let wait = FIRST_DELAY_MS; ; wait = nextDelay(wait)) {
    try {
      return await ask();
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    await delay(wait, undefined, { signal });
  }
}
