import type pg from 'pg';
import { translatePostgresError } from '../storage/postgres/postgres-errors.ts';

/** Does work that reads one moment of the database, however long it takes and whatever daemons write meanwhile. */
export async function inSnapshot<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'`,
    );
    return await work();
  } catch (error) {
    throw translatePostgresError(error);
  } finally {
    // A lost connection has ended it; the error of the work says more.
    await client.query('rollback').catch(() => undefined);
  }
}
