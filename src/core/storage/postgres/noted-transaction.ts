import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { isConnectionLost, isUnknownTransaction } from './postgres-errors.ts';
import type { WriterConnection } from './writer-connection.ts';

/** 20 s: the server ends a transaction 15 s after its connection was cut without a word (`writerSession`). */
const TRIES = 80;
const AGAIN_MS = 250;
/** Nobody asks for a commit that is so old. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/**
 * A transaction that notes itself in the database. Its number alone proves nothing: a server that has crashed gives numbers
 * again whose transactions left nothing on its disk, so that `pg_xact_status` may tell of the commit of another.
 */
export interface NotedTransaction {
  writer: string;
  id: string;
}

/**
 * Notes the transaction for the writer `$1`, and answers its number and the milliseconds since 1970 by the clock of the
 * server. A standby refuses it.
 */
export const noteTransaction = `with noted as (
    insert into commits (writer, transaction_id, committed_at) values ($1, pg_current_xact_id()::text,
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    on conflict (writer) do update set transaction_id = excluded.transaction_id, committed_at = excluded.committed_at)
  select pg_current_xact_id()::text as id, extract(epoch from clock_timestamp()) * 1000 as time`;

/**
 * What became of a transaction whose commit was sent before the connection was lost, as soon as the server can say so.
 * `unknown` where it cannot for 20 seconds.
 */
export async function outcomeOf(
  connection: WriterConnection,
  { writer, id }: NotedTransaction,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (let n = 0; n < TRIES; n++) {
    try {
      await connection.connect();
      if (!(await mayCommitYet(connection, id))) {
        const noted = 'select 1 from commits where writer = $1 and transaction_id = $2';
        const { rows } = await connection.query(noted, [writer, id]);
        return rows.length > 0 ? 'committed' : 'aborted';
      }
    } catch (error) {
      connection.drop();
      if (!isConnectionLost(error)) return 'unknown';
    }
    await delay(AGAIN_MS);
  }
  return 'unknown';
}

/** Whether it may be seen to be committed later: it is under way, or the server is a standby, which may not have it yet. */
async function mayCommitYet(connection: WriterConnection, id: string): Promise<boolean> {
  const { rows } = await connection.query('select 1 where pg_is_in_recovery()');
  if (rows.length > 0) return true;
  try {
    const { rows: found } = await connection.query('select pg_xact_status($1::xid8) as status', [id]);
    return found[0]?.status === 'in progress';
  } catch (error) {
    // After a crash, the number was not given again so far.
    if (isUnknownTransaction(error)) return false;
    throw error;
  }
}

/** Removes the notes of connections that ended long ago. */
export async function removeOldNotes(db: Kysely<Schema>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - FORGOTTEN_MS).toISOString();
  await db.deleteFrom('commits').where('committed_at', '<', before).execute();
}
