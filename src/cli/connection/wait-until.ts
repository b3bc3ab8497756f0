import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../errors/cli-error.ts';
import { isTransient } from './is-transient.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { onInterrupt } from '../commands/run/on-interrupt.ts';

export interface WaitOptions<T> {
  /** Returns undefined until there is a result. */
  ask: (signal: AbortSignal) => Promise<T | undefined>;
  everyMs: number;
  /** Default: no timeout. */
  timeoutMs?: number | undefined;
  /** The messages for an interrupt and for a timeout. */
  gaveUp: string;
  tooLate: { message: string; next: string };
}

/** Polls, across restarts of the daemon, until there is a result, a timeout or an interrupt. */
export async function waitUntil<T>({ ask, everyMs, timeoutMs, gaveUp, tooLate }: WaitOptions<T>): Promise<T> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const forget = onInterrupt((name) =>
    stopping.abort(new CliError(name === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated, gaveUp)),
  );
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => stopping.abort(new CliError(exitCodes.pending, tooLate.message, { next: tooLate.next })),
          timeoutMs,
        );
  try {
    for (;;) {
      const answer = await askOnce(ask, signal);
      if (answer !== undefined) return answer;
      await delay(everyMs, undefined, { signal });
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Transient failures count as no result yet. */
async function askOnce<T>(ask: WaitOptions<T>['ask'], signal: AbortSignal): Promise<T | undefined> {
  try {
    return await ask(signal);
  } catch (error) {
    if (isTransient(error) && !signal.aborted) return undefined;
    throw error;
  }
}
