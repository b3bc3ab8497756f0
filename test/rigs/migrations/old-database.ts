import { writeFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely } from 'kysely';
import { allMigrations, migrate } from '../../../src/core/storage/sqlite/migrate.ts';
import type { Schema } from '../../../src/core/storage/schema.ts';
import { nodeSqliteDialect } from '../../../src/core/storage/sqlite/sqlite-dialect.ts';
import { ownTables } from './content.ts';

/** How many migrations there are. */
export const migrationCount: number = Object.keys(allMigrations).length;

/** Rows per table: the long texts of the tasks make the copy of a database take several steps. */
const ROWS = 24;
const LONG = 'a long text '.repeat(400);

/** Creates the database that the first `count` migrations make, with rows in each of its tables; 0 is an empty file. */
export async function createOldDatabase(file: string, count: number): Promise<void> {
  if (count === 0) return writeFileSync(file, '', { mode: 0o600 });
  const native = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  native.exec('pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = off');
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
  await migrate(native, db, file, {
    migrations: Object.fromEntries(Object.entries(allMigrations).slice(0, count)),
  });
  for (const table of ownTables(native)) fill(native, table);
  // Removed by 0002-access.
  native.prepare('insert into state values (?, ?)').run('cursor_key', 'old');
  native.exec("insert into task_text (task_text) values ('rebuild')");
  native.close();
}

function fill(native: DatabaseSync, table: string): void {
  const parents = new Map(
    native
      .prepare(`pragma foreign_key_list("${table}")`)
      .all()
      .map((key) => [String(key['from']), `${String(key['table'])}.${String(key['to'])}`]),
  );
  const columns = native
    .prepare(`pragma table_info("${table}")`)
    .all()
    .map(({ name, type, notnull, pk }) => ({
      name: String(name),
      type: String(type),
      isNullable: notnull === 0 && pk === 0,
    }));
  const insert = native.prepare(`insert into "${table}" values (${columns.map(() => '?').join(', ')})`);
  for (let row = 0; row < ROWS; row++)
    insert.run(
      ...columns.map(({ name, type, isNullable }): SQLInputValue => {
        if (isNullable && (row + name.length) % 3 === 0) return null;
        if (type !== 'text') return row;
        if (name === 'prompt') return LONG + String(row);
        if (name === 'provider') return 'codehost';
        return `${parents.get(name) ?? `${table}.${name}`}-${row}`;
      }),
    );
}
