import { ApiError, type Client } from '../../../contract/client.ts';
import type { pairingRoutes } from '../../../contract/pairing.ts';
import type { RouteOutput } from '../../../contract/route.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { waitUntil } from '../../connection/wait-until.ts';

export type PairingState = RouteOutput<typeof pairingRoutes.getStatus>;

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
export const watchPairing = (
  client: Client,
  { requestId, until = () => false, timeoutMs, next }: WatchOptions,
): Promise<PairingState> =>
  waitUntil({
    everyMs: EVERY_MS,
    timeoutMs,
    gaveUp: 'Gave up; nothing is paired.',
    tooLate: { message: 'Nobody has decided in time.', next },
    ask: async (signal) => {
      const state = await statusOf(client, requestId, signal);
      return state.status !== 'pending' || until(state) ? state : undefined;
    },
  });

/** A request that is gone has expired. */
async function statusOf(client: Client, requestId: string, signal: AbortSignal): Promise<PairingState> {
  try {
    return await client.pairing.getStatus({ params: { requestId } }, { signal });
  } catch (error) {
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
