import { Kysely } from 'kysely';
import type pg from 'pg';
import { findSetting } from '../config/settings.ts';
import type { SettingChange } from '../config/settings-source.ts';
import { PostgresConnection, postgresDialect } from '../storage/postgres/postgres-dialect.ts';
import { BLOCK } from '../storage/postgres/task-numbers.ts';
import type { Schema } from '../storage/schema.ts';

/** The database as the connection sees it, inside its transaction. */
export const kyselyOn = (client: pg.ClientBase): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect: postgresDialect(new PostgresConnection((statement) => client.query(statement))),
  });

/** Adds what only PostgreSQL has: numbers beyond those of the rows, and the settings of the cluster. */
export async function completePostgres(
  client: pg.ClientBase,
  { lastTaskSeq, settings, now }: { lastTaskSeq: number; settings: readonly SettingChange[]; now: Date },
): Promise<void> {
  await client.query(`select setval('task_seq', $1, false)`, [lastTaskSeq + 1]);
  await client.query(
    `select setval(pg_get_serial_sequence('file_changes', 'id'), coalesce((select max(id) from file_changes), 0) + 1, false)`,
  );
  for (const { key, value } of settings)
    await client.query(
      'insert into settings (key, value, version, updated_at, updated_by) values ($1, $2, 1, $3, null)',
      [key, JSON.stringify(value), now.toISOString()],
    );
}

/** The highest number that any task was given, or may be given from a block that a daemon has fetched. */
export async function lastTaskNumber(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ last: number; called: number }>(
    'select last_value as last, is_called as called from task_seq',
  );
  const [{ last, called } = { last: 1, called: 0 }] = rows;
  return called ? last + BLOCK - 1 : last - 1;
}

/** The settings of the cluster that this version knows; null for one that was removed. */
export async function readSettings(client: pg.ClientBase): Promise<SettingChange[]> {
  const { rows } = await client.query<{ key: string; value: string }>(
    'select key, value from settings order by key',
  );
  return rows.flatMap(({ key: name, value }) => {
    const key = findSetting(name);
    return key ? [{ key, value: JSON.parse(value) as unknown }] : [];
  });
}

export async function readStateOf(client: pg.ClientBase, key: string): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>('select value from state where key = $1', [key]);
  return rows[0]?.value;
}
