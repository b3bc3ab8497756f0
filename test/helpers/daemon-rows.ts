import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { clusterOf, type TestDaemon } from './daemon.ts';

/**
 * Runs a statement on the database of a daemon, running or stopped, as somebody would who went past it. Values take the
 * place of its question marks.
 */
export async function runSql(
  { home }: Pick<TestDaemon, 'home'>,
  statement: string,
  ...values: (string | number | null)[]
): Promise<Record<string, unknown>[]> {
  const cluster = clusterOf(home);
  if (!cluster) {
    const database = new DatabaseSync(join(home, 'svc.db'));
    try {
      return database.prepare(statement).all(...values);
    } finally {
      database.close();
    }
  }
  const client = new pg.Client(cluster.env['DATABASE_URL']);
  await client.connect();
  try {
    let count = 0;
    const { rows } = await client.query<Record<string, unknown>>(
      statement.replaceAll('?', () => `$${++count}`),
      values,
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** All that a stopped daemon has stored: its files, and its rows where they are elsewhere. */
export async function storedTexts(daemon: Pick<TestDaemon, 'home'>): Promise<string[]> {
  const texts = readdirSync(daemon.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  if (!clusterOf(daemon.home)) return texts;
  const tables = await runSql(
    daemon,
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  for (const { table_name } of tables)
    texts.push(JSON.stringify(await runSql(daemon, `select * from "${String(table_name)}"`)));
  return texts;
}

/** Leaves the rows as a daemon does that dies while these tasks run, when it has last renewed their leases until then; it must be stopped. */
export async function leaveRunning(
  home: string,
  ids: readonly string[],
  leaseUntil: string | null = null,
): Promise<void> {
  const claim = clusterOf(home) ? `${readFileSync(join(home, 'daemon-id'), 'utf8').trim()}/1` : null;
  for (const id of ids)
    await runSql(
      { home },
      `update tasks set status = 'in_progress', attempts = 1, started_at = created_at, lease_owner = ?, lease_until = ?
       where id = ?`,
      claim,
      leaseUntil,
      id,
    );
}
