import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../src/core/storage/migrate.ts';
import type { Schema } from '../../../src/core/storage/schema.ts';
import { nodeSqliteDialect } from '../../../src/core/storage/sqlite-dialect.ts';
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

describe('the schema', () => {
  it('is made in an empty folder, readable by its owner only', async () => {
    await using test = await openTestDatabase();
    expect(tablesIn(test.file)).toEqual(
      expect.arrayContaining(['tasks', 'task_events', 'task_counts', 'dead_letters', 'state']),
    );
    expect(statSync(test.file).mode & 0o777).toBe(0o600);
  });

  it('is left alone by the next start, with what it holds', async () => {
    await using test = await openTestDatabase();
    await test.database.write(keep('fact'));
    await test.database.close();
    test.database = await openAt(test.file);
    expect(factsIn(test.file)).toEqual(['fact']);
    expect(existsSync(`${test.file}.before-0001-tasks`)).toBe(false);
  });

  it('is copied before a later migration, and stays as it was when that one fails', async () => {
    await using test = await openTestDatabase();
    await test.database.write(keep('fact'));
    await test.database.close();
    const native = new DatabaseSync(test.file);
    const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
    const nothing = async () => undefined;
    const first = {
      '0001-tasks': nothing,
      '0002-access': nothing,
      '0003-chat': nothing,
      '0004-tools': nothing,
      '0005-outside': nothing,
      '0006-memory': nothing,
      '0007-pairing': nothing,
      '0008-owners': nothing,
    };
    const failing = async (each: Kysely<never>) => {
      await each.schema.createTable('half_done').addColumn('id', 'text').execute();
      throw new Error('no');
    };
    const broken = { ...first, '9999-more': failing };
    await expect(migrate(native, db, test.file, broken)).rejects.toThrow('no');
    expect(tablesIn(test.file)).not.toContain('half_done');
    expect(factsIn(`${test.file}.before-9999-more`)).toEqual(['fact']);
    const up = async (each: Kysely<never>) =>
      each.schema.createTable('more').addColumn('id', 'text').execute();
    await migrate(native, db, test.file, { ...first, '9999-more': up });
    expect(tablesIn(test.file)).toContain('more');
    expect(tablesIn(`${test.file}.before-9999-more`)).not.toContain('more');
    await db.destroy();
    test.database = await openAt(`${test.file}.before-9999-more`);
  });

  it('of the time before owners had one name opens with its rows, after a copy was made', async () => {
    await using test = await openTestDatabase();
    const file = `${test.file}.old`;
    const old = new DatabaseSync(file);
    old.exec(readFileSync(join(import.meta.dirname, '../../fixtures/storage/before-owners.sql'), 'utf8'));
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

  it('of a newer svc is refused, and the file is not touched', async () => {
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

  it('of somebody else is not taken over in silence', async () => {
    await using test = await openTestDatabase();
    const file = `${test.file}.other`;
    const other = new DatabaseSync(file);
    other.exec('create table tasks (id text); insert into tasks values (1)');
    other.close();
    await expect(openAt(file)).rejects.toThrow();
    expect(tablesIn(file)).toContain('tasks');
  });
});
