import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Migration, SharedMigration } from '../../../../src/core/storage/migration.ts';
import {
  type MigratePostgresOptions,
  migratePostgres,
  postgresMigrations,
} from '../../../../src/core/storage/postgres/migrate-postgres.ts';
import { migrate } from '../../../../src/core/storage/sqlite/migrate.ts';
import { nodeSqliteDialect } from '../../../../src/core/storage/sqlite/sqlite-dialect.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';
import { placeDaemon } from './place-daemon.ts';
import { factsOfPostgres, factsOfSqlite } from './facts-of-schemas.ts';

const nothing: Migration = async () => undefined;
const adds: SharedMigration = { up: nothing, contracts: false };
const takesAway: SharedMigration = { up: nothing, contracts: true };

/** A database without anything and the clients that one test needs. */
async function openEmpty(count = 1) {
  const { url, drop } = await newPostgresDatabase('none');
  const clients = Array.from({ length: count }, () => new pg.Client(url));
  await Promise.all(clients.map((client) => client.connect()));
  return {
    clients: clients as [pg.Client, ...pg.Client[]],
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end()));
      await drop();
    },
  };
}

const recorded = async (client: pg.Client) =>
  (await client.query<{ name: string }>('select name from schema_migrations order by name')).rows.map(
    ({ name }) => name,
  );

describe.skipIf(!hasPostgres)('the migrations of PostgreSQL (needs PostgreSQL)', () => {
  it('run once, however many daemons start at once', async () => {
    await using database = await openEmpty(4);
    let runs = 0;
    const counts: SharedMigration = {
      contracts: false,
      up: async () => {
        runs++;
      },
    };
    const migrations = { '0001-a': counts, '0002-b': counts };
    await Promise.all(database.clients.map((client) => migratePostgres(client, { migrations })));
    expect(runs).toBe(2);
    expect(await recorded(database.clients[0])).toEqual(['0001-a', '0002-b']);
  });

  it('run once where the database is serializable by default', async () => {
    await using database = await openEmpty(4);
    const { clients } = database;
    for (const client of clients) await client.query(`set default_transaction_isolation = 'serializable'`);
    await Promise.all(clients.map((client) => migratePostgres(client, { migrations: { '0001-a': adds } })));
    expect(await recorded(clients[0])).toEqual(['0001-a']);
  });

  it('leave nothing of one that fails, and go on from there', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    const makes = (after: Migration): SharedMigration => ({
      contracts: false,
      up: async (db, report) => {
        await db.schema.createTable('things').addColumn('id', 'text').execute();
        await after(db, report);
      },
    });
    const fails = makes(() => Promise.reject(new Error('no power')));
    await expect(
      migratePostgres(client, { migrations: { '0001-a': adds, '0002-b': fails } }),
    ).rejects.toThrow('no power');
    expect(await recorded(client)).toEqual(['0001-a']);
    await migratePostgres(client, { migrations: { '0001-a': adds, '0002-b': makes(nothing) } });
    expect(await recorded(client)).toEqual(['0001-a', '0002-b']);
  });

  it('are written once for both engines', async () => {
    const both: Migration = async (db) => {
      await db.schema
        .createTable('things')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('size', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('share', 'real')
        .execute();
      await db.schema.alterTable('things').addColumn('name', 'text').execute();
      await db.schema.createIndex('things_by_name').on('things').column('name').execute();
    };
    await using database = await openEmpty();
    const [client] = database.clients;
    await migratePostgres(client, { migrations: { '0001-a': { up: both, contracts: false } } });
    const native = new DatabaseSync(':memory:');
    const sqlite = new Kysely<never>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
    await migrate(native, sqlite, ':memory:', { migrations: { '0001-a': both } });
    const ofThings = (facts: Set<string>) => [...facts].filter((fact) => fact.includes('things')).toSorted();
    const found = ofThings(await factsOfPostgres(client));
    expect(found).toEqual(ofThings(factsOfSqlite(native)));
    expect(found).toContain('things.size bigint not null default 0');
    native.close();
  });

  it('let a daemon go on beside a newer one until that takes something away', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    const old: MigratePostgresOptions = { migrations: { '0001-a': adds } };
    await migratePostgres(client, { migrations: { '0001-a': adds, '0002-b': adds } });
    await migratePostgres(client, old);
    await migratePostgres(client, { migrations: { '0001-a': adds, '0002-b': adds, '0003-c': takesAway } });
    await expect(migratePostgres(client, old)).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'The database was upgraded by a newer svc (it has 0003-c). Upgrade svc, or use another database.',
    });
    expect(await recorded(client)).toEqual(['0001-a', '0002-b', '0003-c']);
  });

  it('take nothing away while older daemons run', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    await migratePostgres(client);
    await placeDaemon(client, 'web-2', '0.1.0');
    const newer = { ...postgresMigrations, '9998-adds': adds, '9999-takes-away': takesAway };
    await expect(migratePostgres(client, { migrations: newer })).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringMatching(
        /takes away what older daemons use.*run: web-2\. Stop them all/,
      ) as string,
    });
    // What only adds is done, and older daemons go on.
    expect((await recorded(client)).at(-1)).toBe('9998-adds');
    await migratePostgres(client);
    await client.query('delete from daemons');
    await migratePostgres(client, { migrations: newer });
    await expect(migratePostgres(client)).rejects.toThrow(
      /upgraded by a newer svc \(it has 9999-takes-away\)/,
    );
  });

  it('refuse the database of another program', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    await client.query('create table invoices (id int)');
    await expect(migratePostgres(client)).rejects.toThrow('holds tables of another program (invoices)');
    expect((await client.query("select to_regclass('schema_migrations') as found")).rows).toEqual([
      { found: null },
    ]);
  });

  it('refuse the database of another program whose table has a name of svc', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    await client.query('create table schema_migrations (version text)');
    await expect(migratePostgres(client)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('holds tables of another program (schema_migrations)') as string,
    });
  });

  it('refuse a search_path in which another schema comes before the tables of svc', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    await migratePostgres(client, { migrations: { '0001-a': adds } });
    await client.query('create schema other; set search_path = other, public');
    await expect(migratePostgres(client, { migrations: { '0001-a': adds } })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('SET search_path = "public"') as string,
    });
  });

  it('report the steps of an upgrade, and are silent about a new database', async () => {
    await using database = await openEmpty();
    const [client] = database.clients;
    const steps: string[] = [];
    const report = ({ text }: { text: string }) => steps.push(text);
    await migratePostgres(client, { migrations: { '0001-a': adds }, report });
    expect(steps).toEqual([]);
    await migratePostgres(client, { migrations: { '0001-a': adds, '0002-b': adds }, report });
    expect(steps).toEqual(['upgrading the database, step 1 of 1', 'starting with the upgraded database']);
  });
});
