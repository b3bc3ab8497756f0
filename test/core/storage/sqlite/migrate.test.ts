import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allMigrations, migrate, type MigrateOptions } from '../../../../src/core/storage/sqlite/migrate.ts';
import type { Schema } from '../../../../src/core/storage/schema.ts';
import { nodeSqliteDialect } from '../../../../src/core/storage/sqlite/sqlite-dialect.ts';
import { factsIn, keep, openAt, openTestDatabase } from './test-database.ts';

const tablesIn = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  database.close();
  return rows.map((row) => String(row['name']));
};

const ownedTables = [
  'tasks',
  'sessions',
  'api_tokens',
  'connections',
  'devices',
  'gateway_requests',
  'notifications',
] as const;

/** Tables and indexes with their columns. */
const shapeOf = (file: string): [string, string[]][] => {
  const database = new DatabaseSync(file, { readOnly: true });
  const objects = database.prepare('select name, type from sqlite_master order by name').all();
  const shape = objects.map(({ name, type }): [string, string[]] => {
    const rows = database
      .prepare(`pragma ${type === 'index' ? 'index_info' : 'table_info'}("${String(name)}")`)
      .all();
    return [String(name), rows.map((row) => String(row['name']))];
  });
  database.close();
  return shape;
};

/** A migrated database with its migrations, which do nothing here; another one can be added. */
async function startUpgrade() {
  const test = await openTestDatabase();
  await test.database.write(keep('fact'));
  await test.database.close();
  const native = new DatabaseSync(test.file);
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
  onTestFinished(async () => {
    await db.destroy();
    rmSync(dirname(test.file), { recursive: true, force: true });
  });
  const nothing = async () => undefined;
  return {
    native,
    db,
    file: test.file,
    done: Object.fromEntries(Object.keys(allMigrations).map((name) => [name, nothing])),
  };
}

describe('the schema', () => {
  it('creates the schema in an empty directory, in a private file', async () => {
    await using test = await openTestDatabase();
    expect(tablesIn(test.file)).toEqual(
      expect.arrayContaining(['tasks', 'task_events', 'task_counts', 'dead_letters', 'state']),
    );
    expect(statSync(test.file).mode & 0o777).toBe(0o600);
  });

  it('the next start keeps the schema and its data', async () => {
    await using test = await openTestDatabase();
    await test.database.write(keep('fact'));
    await test.database.close();
    test.database = await openAt(test.file);
    expect(factsIn(test.file)).toEqual(['fact']);
    expect(existsSync(`${test.file}.before-0001-tasks`)).toBe(false);
  });

  it('copies the database before a migration and rolls back a failed one', async () => {
    await using test = await openTestDatabase();
    await test.database.write(keep('fact'));
    await test.database.close();
    const native = new DatabaseSync(test.file);
    const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
    const nothing = async () => undefined;
    const done = native.prepare('select name from schema_migrations').all();
    const first = Object.fromEntries(done.map(({ name }) => [String(name), nothing]));
    const failing = async (each: Kysely<never>) => {
      await each.schema.createTable('half_done').addColumn('id', 'text').execute();
      throw new Error('no');
    };
    const broken = { ...first, '9999-more': failing };
    await expect(migrate(native, db, test.file, { migrations: broken })).rejects.toThrow('no');
    expect(tablesIn(test.file)).not.toContain('half_done');
    expect(factsIn(`${test.file}.before-9999-more`)).toEqual(['fact']);
    const up = async (each: Kysely<never>) =>
      each.schema.createTable('more').addColumn('id', 'text').execute();
    await migrate(native, db, test.file, { migrations: { ...first, '9999-more': up } });
    expect(tablesIn(test.file)).toContain('more');
    expect(tablesIn(`${test.file}.before-9999-more`)).not.toContain('more');
    await db.destroy();
    test.database = await openAt(`${test.file}.before-9999-more`);
  });

  it('migrates a database from before the owner columns were renamed, after a copy', async () => {
    await using test = await openTestDatabase();
    const file = `${test.file}.old`;
    const old = new DatabaseSync(file);
    old.exec(readFileSync(join(import.meta.dirname, '../../../fixtures/storage/before-owners.sql'), 'utf8'));
    old.close();
    const database = await openAt(file);
    try {
      for (const table of ownedTables)
        expect(await database.read.selectFrom(table).select('owner_id').execute(), table).toEqual([
          { owner_id: 'user_ann' },
        ]);
      const { read } = database;
      expect(await read.selectFrom('audit_log').select(['user_id', 'hash']).execute()).toEqual([
        { user_id: 'user_ann', hash: 'first' },
      ]);
      await database.write(({ db }) => db.deleteFrom('users').execute());
      expect(await read.selectFrom('api_tokens').selectAll().execute()).toEqual([]);
    } finally {
      await database.close();
    }
    expect(shapeOf(file)).toEqual(shapeOf(test.file));
    expect(shapeOf(file).filter(([name]) => name.endsWith('_by_user'))).toEqual([
      ['audit_log_by_user', ['user_id', 'seq']],
    ]);
    const copy = new DatabaseSync(`${file}.before-0007-pairing`, { readOnly: true });
    expect(copy.prepare('select user_id from api_tokens').get()).toEqual({ user_id: 'user_ann' });
    copy.close();
  });

  it('refuses the database of a newer svc without changing the file', async () => {
    await using test = await openTestDatabase();
    test.writer
      .prepare('insert into schema_migrations values (?, ?)')
      .run('9999-telepathy', new Date(0).toISOString());
    await expect(openAt(test.file)).rejects.toMatchObject({
      code: 'unavailable',
      message: `The database ${test.file} was written by a newer svc (it has 9999-telepathy). Upgrade svc, or use another SVC_HOME.`,
    });
    await test.database.write(keep('fact'));
    expect(factsIn(test.file)).toEqual(['fact']);
  });

  it('refuses the database of another program', async () => {
    await using test = await openTestDatabase();
    const file = `${test.file}.other`;
    const other = new DatabaseSync(file);
    other.exec('create table tasks (id text); insert into tasks values (1)');
    other.close();
    await expect(openAt(file)).rejects.toThrow();
    expect(tablesIn(file)).toContain('tasks');
  });
});

describe('the copy before an upgrade', () => {
  const nothing = async () => undefined;

  it('is private, and replaces what earlier attempts left of it', async () => {
    const { native, db, file, done } = await startUpgrade();
    const copy = `${file}.before-9999-more`;
    for (const path of [copy, `${copy}-journal`, `${copy}.partial`, `${copy}.partial-journal`])
      writeFileSync(path, 'a part');
    await migrate(native, db, file, { migrations: { ...done, '9999-more': nothing } });
    expect(factsIn(copy)).toEqual(['fact']);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    for (const path of [`${copy}-journal`, `${copy}.partial`, `${copy}.partial-journal`])
      expect(existsSync(path), path).toBe(false);
  });

  it('leaves no part of itself if it fails, and the database stays as it was', async () => {
    const { native, db, file, done } = await startUpgrade();
    const copy = `${file}.before-9999-more`;
    mkdirSync(copy);
    await expect(
      migrate(native, db, file, { migrations: { ...done, '9999-more': nothing } }),
    ).rejects.toThrow('EISDIR');
    expect(existsSync(`${copy}.partial`)).toBe(false);
    expect(
      native.prepare("select name from schema_migrations where name = '9999-more'").get(),
    ).toBeUndefined();
  });
});

describe('the report of an upgrade', () => {
  it('names the copy and each step, with its parts where a migration has some', async () => {
    const { native, db, file, done } = await startUpgrade();
    const steps: string[] = [];
    const migrations: MigrateOptions['migrations'] = {
      ...done,
      '9998-plain': async () => undefined,
      '9999-parts': async (_, report) => report(2, 3),
    };
    const report: MigrateOptions['report'] = ({ text, done: parts, total }) =>
      steps.push(total === 0 ? text : `${text}: ${parts} of ${total}`);
    await migrate(native, db, file, { migrations, report });
    expect(steps.filter((step) => !/^copying .*: \d+ of \d+$/.test(step))).toEqual([
      'copying the database before its upgrade',
      'upgrading the database, step 1 of 2',
      'upgrading the database, step 2 of 2',
      'upgrading the database, step 2 of 2: 2 of 3',
      'starting with the upgraded database',
    ]);
    const again: string[] = [];
    await migrate(native, db, file, { migrations, report: ({ text }) => again.push(text) });
    expect(again).toEqual([]);
  });

  it('counts the pages of the copy', async () => {
    const { native, db, file, done } = await startUpgrade();
    native.exec('create table large (value); insert into large values (zeroblob(2000000))');
    const counts: { done: number; total: number }[] = [];
    await migrate(native, db, file, {
      migrations: { ...done, '9999-more': async () => undefined },
      report: (step) => step.text.startsWith('copying') && step.total > 0 && counts.push(step),
    });
    expect(counts.length).toBeGreaterThan(2);
    const shares = counts.map(({ done: pages, total }) => pages / total);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.every((share) => share > 0 && share < 1)).toBe(true);
  });

  it('is silent about a database that is created', async () => {
    await using test = await openTestDatabase();
    const file = `${test.file}.new`;
    const native = new DatabaseSync(file);
    const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
    const steps: unknown[] = [];
    await migrate(native, db, file, { report: (step) => steps.push(step) });
    await db.destroy();
    expect(steps).toEqual([]);
  });
});
