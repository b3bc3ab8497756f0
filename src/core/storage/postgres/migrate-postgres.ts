import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { ReportStart } from '../../../contract/start-step.ts';
import { AppError } from '../../errors.ts';
import { type SharedMigration, sharedMigrations } from '../migration.ts';
import { namesOf, liveDaemons, SILENT_SECONDS } from './live-daemons.ts';
import { up as firstSchema } from './postgres-schema.ts';
import { PortableTypes } from './portable-types.ts';

export interface MigratePostgresOptions {
  /** Default: all of them. */
  migrations?: Readonly<Record<string, SharedMigration>>;
  /** Is called before each step of an upgrade; not for a database that is created. */
  report?: ReportStart | undefined;
}

/** All migrations by their recorded names, in order. The first has the name of the last one of SQLite that it contains. */
export const postgresMigrations: Readonly<Record<string, SharedMigration>> = {
  '0035-task-filters': { up: firstSchema, contracts: false },
  ...sharedMigrations,
};

/** The same number in every svc: daemons that start at once migrate one after another. */
const LOCK = 7_782_391;
const OLDEST_VERSION = 150_000;

interface Recorded {
  name: string;
  contracts: boolean;
}

/**
 * Migrates the schema to this version, each migration in its own transaction, while other daemons may do the same. A
 * database of a newer svc is accepted as long as nothing that this version uses was taken away. Rejects with `unavailable`
 * for one where something was, and with `configuration` for one that svc cannot use.
 */
export async function migratePostgres(
  client: pg.ClientBase,
  { migrations = postgresMigrations, report: reportStep }: MigratePostgresOptions = {},
): Promise<void> {
  const db = new Kysely<never>({
    dialect: new PostgresDialect({ pool: poolOf(client) }),
    plugins: [new PortableTypes()],
  });
  const names = Object.keys(migrations);
  let report: ReportStart = () => undefined;
  let total: number | undefined;
  for (let step = 1, isDone = false; !isDone; step++)
    isDone = await inTransaction(client, async () => {
      const recorded = await lockAndRead(client);
      refuseNewer(recorded, names);
      const pending = names.filter((name) => recorded.every((done) => done.name !== name));
      total ??= pending.length;
      if (step === 1 && recorded.length > 0 && total > 0) report = reportStep ?? report;
      const [next] = pending;
      const migration = next === undefined ? undefined : migrations[next];
      if (!migration) return true;
      if (migration.contracts) await requireNoOlder(client);
      const text = `upgrading the database, step ${step} of ${total}`;
      report({ text, done: 0, total: 0 });
      await migration.up(db, (done, parts) => report({ text, done, total: parts }));
      await client.query(
        `insert into schema_migrations values ($1, to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), $2)`,
        [next, migration.contracts],
      );
      return false;
    });
  report({ text: 'starting with the upgraded database', done: 0, total: 0 });
}

/** The lock ends with the transaction, so that it also works behind a pooler of connections. */
async function lockAndRead(client: pg.ClientBase): Promise<Recorded[]> {
  // Another daemon may migrate for long. A change of a table waits for readers, which a statement limit ends.
  await client.query('set local statement_timeout = 0; set local lock_timeout = 0');
  await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await client.query(`set local lock_timeout = '30s'`);
  const isThere = await hasTables(client);
  if (!isThere) {
    await requireUsable(client);
    await client.query(`create table schema_migrations (
      name text collate "C" primary key, done_at text collate "C" not null, contracts boolean not null)`);
  }
  return (await client.query<Recorded>('select name, contracts from schema_migrations')).rows;
}

/** Whether the tables of svc are there; refuses those that are of another program, or where new ones would not come. */
async function hasTables(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{
    database: string;
    schema: string;
    first: string;
    user: string;
    own: boolean;
  }>(
    `select current_database() as database, nspname as schema, current_schema() as first, current_user as user,
      exists (select from pg_attribute where attrelid = c.oid and attname = 'contracts') as own
    from pg_class c join pg_namespace n on n.oid = relnamespace where c.oid = to_regclass('schema_migrations')`,
  );
  const [found] = rows;
  if (!found) return false;
  const { database, schema, first, user } = found;
  if (!found.own) throw ofAnother(database, 'schema_migrations');
  if (schema !== first)
    throw unusable(
      `The tables of svc are in the schema ${schema}, and the search_path of the user ${user} has the schema ${first} before it. Name theirs first: ALTER ROLE "${user}" SET search_path = "${schema}"`,
    );
  return true;
}

/** Refuses a database that is no empty one of a server that svc knows. */
async function requireUsable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{
    version: number;
    encoding: string;
    database: string;
    table: string | null;
  }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      current_database() as database,
      (select min(tablename::text) from pg_tables where schemaname = current_schema()) as table`,
  );
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL does not say what it is');
  if (found.version < OLDEST_VERSION)
    throw unusable(
      `PostgreSQL ${Math.floor(found.version / 10_000)} is too old. svc needs PostgreSQL 15 or newer.`,
    );
  if (found.encoding !== 'UTF8')
    throw unusable(
      `The database ${found.database} is encoded in ${found.encoding}. Create one with UTF8: createdb --encoding=UTF8 --template=template0 svc`,
    );
  if (found.table !== null) throw ofAnother(found.database, found.table);
}

const ofAnother = (database: string, table: string) =>
  unusable(
    `The database ${database} holds tables of another program (${table}). Create one for svc: createdb --encoding=UTF8 --template=template0 svc`,
  );

/** A newer svc records what this one does not know; it matters only if it took something away. */
function refuseNewer(recorded: Recorded[], names: string[]): void {
  const unknown = recorded.filter(({ name, contracts }) => contracts && !names.includes(name));
  if (unknown.length > 0)
    throw new AppError(
      'unavailable',
      `The database was upgraded by a newer svc (it has ${unknown.map(({ name }) => name).join(', ')}). Upgrade svc, or use another database.`,
    );
}

/** None of them knows the migration: those that do have waited for it. */
async function requireNoOlder(client: pg.ClientBase): Promise<void> {
  const daemons = await liveDaemons(client);
  if (daemons.length > 0)
    throw new AppError(
      'wrong_state',
      `The upgrade of the database takes away what older daemons use, and such daemons run: ${namesOf(daemons)}. Stop them all first: svc cluster drain NAME --stop. One that was killed counts as stopped after ${SILENT_SECONDS} seconds.`,
    );
}

/**
 * Throws `wrong_state` for a database that a newer svc has upgraded, even where this one can go on beside it: a copy by this
 * one would lack what was added.
 */
export async function requireKnownSchema(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  const unknown = rows.filter(({ name }) => !(name in postgresMigrations));
  if (unknown.length > 0)
    throw new AppError(
      'wrong_state',
      `The database was upgraded by a newer svc (it has ${unknown.map(({ name }) => name).join(', ')}), so a copy by this one would not be complete. Use the newer svc.`,
    );
}

const unusable = (message: string) => new AppError('configuration', message);

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  // The one that has waited for the lock reads what was committed meanwhile, whatever the database has as its default.
  await client.query('begin isolation level read committed');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A lost connection has rolled back; its own error says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Kysely asks a pool for its connection. */
function poolOf(client: pg.ClientBase) {
  return {
    connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
    end: async () => undefined,
  } as unknown as pg.Pool;
}
