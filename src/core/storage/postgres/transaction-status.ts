import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionLost } from './postgres-errors.ts';
import type { WriterConnection } from './writer-connection.ts';

const TRIES = 40;
const AGAIN_MS = 250;

/**
 * What became of a transaction whose commit was sent before the connection was lost, as soon as the server says so.
 * `unknown` where it does not for ten seconds, or has forgotten.
 */
export async function transactionStatus(
  writer: WriterConnection,
  id: string,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (let n = 0; n < TRIES; n++) {
    try {
      await writer.connect();
      const { rows } = await writer.query('select pg_xact_status($1::xid8) as status', [id]);
      const status: unknown = rows[0]?.status;
      if (status === 'committed' || status === 'aborted') return status;
      if (status !== 'in progress') return 'unknown';
    } catch (error) {
      writer.drop();
      if (!isConnectionLost(error)) return 'unknown';
    }
    await delay(AGAIN_MS);
  }
  return 'unknown';
}
