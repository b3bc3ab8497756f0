import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client } from '../../contract/client.ts';
import type { pairingRoutes } from '../../contract/pairing.ts';
import type { RouteOutput } from '../../contract/route.ts';
import { CliError } from '../cli-error.ts';
import { Unreachable } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { onInterrupt } from '../run/on-interrupt.ts';

export type PairingState = RouteOutput<typeof pairingRoutes.status>;

const EVERY_MS = 1000;

export interface WatchOptions {
  requestId: string;
  /** Whether this is what is waited for; approved, rejected and expired end the wait too. */
  until?: (state: PairingState) => boolean;
  timeoutMs?: number | undefined;
  /** What to type when the wait is given up. */
  next: string;
}

/** Asks every second what became of a request, across restarts of the daemon, until there is something to do. */
export async function watchPairing(
  client: Client,
  { requestId, until = () => false, timeoutMs, next }: WatchOptions,
): Promise<PairingState> {
  const stopping = new AbortController();
  const stop = (reason: CliError) => stopping.abort(reason);
  const forget = onInterrupt((signal) =>
    stop(
      new CliError(
        signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated,
        'Gave up; nothing is paired.',
      ),
    ),
  );
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => stop(new CliError(exitCodes.pending, 'Nobody has decided in time.', { next })),
          timeoutMs,
        );
  try {
    for (;;) {
      const state = await askOnce(client, requestId, stopping.signal);
      if (state && (state.status !== 'pending' || until(state))) return state;
      await delay(EVERY_MS, undefined, { signal: stopping.signal });
    }
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Undefined while the daemon is away; a request that is gone has expired. */
async function askOnce(
  client: Client,
  requestId: string,
  signal: AbortSignal,
): Promise<PairingState | undefined> {
  try {
    return await client.pairing.status({ params: { requestId } }, { signal });
  } catch (error) {
    if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 502)) return undefined;
    if (error instanceof ApiError && error.status === 404)
      return { status: 'expired', expiresAt: new Date().toISOString() };
    throw error;
  }
}

/** Ends with the exit code of what was not approved. */
export function requireApproved({ status, reason }: PairingState, next: string): void {
  if (status === 'rejected')
    throw new CliError(exitCodes.cancelled, `The request was rejected${reason ? `: ${reason}` : ''}.`, {
      next,
    });
  if (status === 'expired')
    throw new CliError(exitCodes.pending, 'Nobody has decided, and the code has expired.', { next });
}
