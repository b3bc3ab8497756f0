import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/core/storage/sqlite/migrate.ts';
import { nodeSqliteDialect } from '../../../../src/core/storage/sqlite/sqlite-dialect.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';
import { factsOfPostgres, factsOfSqlite } from './facts-of-schemas.ts';

/** Tables of one engine only, and why. */
const tablesOfSqlite = [
  // The text index of FTS5.
  'task_text',
  'task_text_config',
  'task_text_data',
  'task_text_docsize',
  'task_text_idx',
];
const tablesOfPostgres = [
  // The text index.
  'task_words',
  // What only one transaction at a time may do; SQLite has one writer.
  'sections',
  // What daemons share that have a database together.
  'commits',
  'daemons',
  'leases',
  'sections',
];

const factsOnlyOfSqlite = [
  // An index per state instead, see the schema.
  'index tasks_by_status on tasks (status, created_at, seq)',
];
const factsOnlyOfPostgres = [
  "index tasks_cancelled on tasks (created_at, seq) where status = 'cancelled'",
  "index tasks_completed on tasks (created_at, seq) where status = 'completed'",
  // What is taken from the rows themselves while Redis is away, in the order of the queue.
  "index tasks_due on tasks (priority, created_at, seq) where status = 'queued'",
  "index tasks_failed on tasks (created_at, seq) where status = 'failed'",
  "index tasks_in_progress on tasks (created_at, seq) where status = 'in_progress'",
  // Claims of daemons that are gone.
  "index tasks_leased on tasks (lease_until) where status = 'in_progress'",
  "index tasks_pending on tasks (created_at, seq) where status = 'pending'",
  "index tasks_queued on tasks (created_at, seq) where status = 'queued'",
  // Whether daemons of the release before may use the database still.
  'schema_migrations.contracts boolean not null',
];

describe.skipIf(!hasPostgres)('the schema of PostgreSQL (needs PostgreSQL)', () => {
  it('is that of SQLite, but for declared differences', async () => {
    const [sqlite, postgres] = [await sqliteFacts(), await postgresFacts()];
    expect(sqlite.size).toBeGreaterThan(600);
    const ofTables = (tables: string[]) => (fact: string) =>
      tables.some((table) => new RegExp(String.raw`^(table |index \w+ on |)${table}\b`).test(fact));
    const onlySqlite = [...sqlite].filter((fact) => !postgres.has(fact) && !ofTables(tablesOfSqlite)(fact));
    const onlyPostgres = [...postgres].filter(
      (fact) => !sqlite.has(fact) && !ofTables(tablesOfPostgres)(fact),
    );
    expect({ onlySqlite: onlySqlite.toSorted(), onlyPostgres: onlyPostgres.toSorted() }).toEqual({
      onlySqlite: factsOnlyOfSqlite,
      onlyPostgres: factsOnlyOfPostgres,
    });
    expect(tablesOfSqlite.filter((table) => !sqlite.has(`table ${table}`))).toEqual([]);
    expect(tablesOfPostgres.filter((table) => !postgres.has(`table ${table}`))).toEqual([]);
  });
});

async function sqliteFacts() {
  const native = new DatabaseSync(':memory:');
  try {
    const db = new Kysely({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
    await migrate(native, db, ':memory:');
    return factsOfSqlite(native);
  } finally {
    native.close();
  }
}

async function postgresFacts() {
  const { url, drop } = await newPostgresDatabase();
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await factsOfPostgres(client);
  } finally {
    await client.end();
    await drop();
  }
}
