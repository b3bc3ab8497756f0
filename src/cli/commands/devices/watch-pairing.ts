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
  /** Ends the wait early; approved, rejected and expired always end it. */
  until?: (state: PairingState) => boolean;
  timeoutMs?: number | undefined;
  /** The command to suggest after a timeout. */
  next: string;
}

/** Polls a pairing request every second, across restarts of the daemon, until its state changes. */
export const watchPairing = (
  client: Client,
  { requestId, until = () => false, timeoutMs, next }: WatchOptions,
): Promise<PairingState> =>
  waitUntil({
    everyMs: EVERY_MS,
    timeoutMs,
    gaveUp: 'Cancelled; nothing was paired.',
    tooLate: { message: 'The request was not decided in time.', next },
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

/** Throws unless the request was approved. */
export function requireApproved({ status, reason }: PairingState, next: string): void {
  if (status === 'rejected')
    throw new CliError(exitCodes.cancelled, `The request was rejected${reason ? `: ${reason}` : ''}.`, {
      next,
    });
  if (status === 'expired')
    throw new CliError(exitCodes.pending, 'The code expired before the request was decided.', { next });
}
