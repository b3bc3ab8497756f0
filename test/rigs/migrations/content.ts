import { DatabaseSync } from 'node:sqlite';

/** Everything in a database that must not depend on how often its migration was cut short. */
export interface Content {
  schema: string[];
  rows: Record<string, string[]>;
  autoVacuum: unknown;
  /** What the checks of SQLite found; empty if the database is whole. */
  damage: string[];
}

/** The tables with rows of svc, without those of the text index. */
export const ownTables = (database: DatabaseSync): string[] =>
  database
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not glob 'task_text*' and name not glob 'sqlite_*'",
    )
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'schema_migrations');

/** Reads the whole database. */
export function contentOf(file: string): Content {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const all = (query: string) => database.prepare(query).all();
    const schema = all('select type, name, tbl_name, sql from sqlite_schema order by type, name');
    const migrations = all('select name from schema_migrations order by name');
    const rows: Record<string, string[]> = { schema_migrations: migrations.map(({ name }) => String(name)) };
    for (const table of ownTables(database))
      rows[table] = all(`select * from "${table}"`).map(describeRow).sort();
    const text = all('select rowid from task_text where task_text match \'"long"\'').length;
    rows['task_text'] = [`${text} tasks with a long text`];
    return {
      schema: schema.map((row) => JSON.stringify(row)),
      rows,
      autoVacuum: all('pragma auto_vacuum')[0],
      damage: [
        ...all('pragma integrity_check')
          .map((row) => String(row['integrity_check']))
          .filter((answer) => answer !== 'ok'),
        ...all('pragma foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`),
      ],
    };
  } finally {
    database.close();
  }
}

/** A migration gives sessions random ids. */
const describeRow = (row: Record<string, unknown>): string =>
  JSON.stringify(row).replaceAll(/"sess_[0-9a-f]{32}"/g, '"sess_"');

/** The first difference between two databases; undefined where there is none. */
export function differenceOf(found: Content, expected: Content): string | undefined {
  if (found.damage.length > 0) return found.damage.join('; ');
  if (JSON.stringify(found.autoVacuum) !== JSON.stringify(expected.autoVacuum)) return 'another auto_vacuum';
  const schema = firstDifference(found.schema, expected.schema);
  if (schema !== undefined) return `schema: ${schema}`;
  for (const table of new Set([...Object.keys(found.rows), ...Object.keys(expected.rows)])) {
    const rows = firstDifference(found.rows[table] ?? ['no table'], expected.rows[table] ?? ['no table']);
    if (rows !== undefined) return `rows of ${table}: ${rows}`;
  }
  return undefined;
}

function firstDifference(found: string[], expected: string[]): string | undefined {
  const length = Math.max(found.length, expected.length);
  for (let index = 0; index < length; index++)
    if (found[index] !== expected[index])
      return `${shorten(found[index])} instead of ${shorten(expected[index])}`;
  return undefined;
}

const shorten = (text = 'nothing') => text.slice(0, 200);
