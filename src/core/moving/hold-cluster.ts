import type pg from 'pg';
import { AppError } from '../errors.ts';
import { translatePostgresError } from '../storage/postgres/postgres-errors.ts';

/** A daemon that said anything within so many seconds runs. */
const SILENT_SECONDS = 30;

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
  const { rows } = await client.query<{ host: string }>(
    `select distinct host from daemons where seen_at >= to_char(
      (clock_timestamp() - interval '${SILENT_SECONDS} seconds') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    order by host`,
  );
  if (rows.length === 0) return;
  const hosts = new Intl.ListFormat('en-GB').format(rows.map(({ host }) => host));
  throw new AppError(
    'wrong_state',
    `Daemons of the cluster run on ${hosts}. Stop them all first: svc daemon stop. One that was killed counts as stopped after ${SILENT_SECONDS} seconds.`,
  );
}
