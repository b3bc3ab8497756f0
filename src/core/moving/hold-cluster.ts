import type pg from 'pg';
import { AppError } from '../errors.ts';
import { namesOf, liveDaemons, SILENT_SECONDS } from '../storage/postgres/live-daemons.ts';
import { translatePostgresError } from '../storage/postgres/postgres-errors.ts';

/**
 * Does work in one transaction while no daemon can join the cluster. Throws `wrong_state` where one runs; commits what the
 * work has written, or nothing.
 */
export async function whileClusterRests<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level repeatable read');
  try {
    await client.query(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'`,
    );
    // A daemon that starts meanwhile gives up, or waits and then finds the mark.
    await client.query('lock table daemons, state in exclusive mode');
    await requireNoDaemons(client);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A lost connection has rolled back; its own error says more.
    await client.query('rollback').catch(() => undefined);
    throw translatePostgresError(error);
  }
}

async function requireNoDaemons(client: pg.ClientBase): Promise<void> {
  const daemons = await liveDaemons(client);
  if (daemons.length === 0) return;
  throw new AppError(
    'wrong_state',
    `Daemons of the cluster run: ${namesOf(daemons)}. Stop them all first: svc cluster drain NAME --stop. One that was killed counts as stopped after ${SILENT_SECONDS} seconds.`,
  );
}
