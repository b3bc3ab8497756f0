import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../errors/cli-error.ts';
import { isTransient } from './is-transient.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { onInterrupt } from '../commands/run/on-interrupt.ts';

export interface WaitOptions<T> {
  /** Undefined as long as there is nothing to tell. */
  ask: (signal: AbortSignal) => Promise<T | undefined>;
  everyMs: number;
  /** For ever unless given. */
  timeoutMs?: number | undefined;
  /** What is said where somebody gives up, and where the time is over. */
  gaveUp: string;
  tooLate: { message: string; next: string };
}

/** Asks again and again, across restarts of the daemon, until there is an answer, the time is over or Ctrl-C comes. */
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

/** A daemon that is away, or busy, may be back the next time. */
async function askOnce<T>(ask: WaitOptions<T>['ask'], signal: AbortSignal): Promise<T | undefined> {
  try {
    return await ask(signal);
  } catch (error) {
    if (isTransient(error) && !signal.aborted) return undefined;
    throw error;
  }
}
