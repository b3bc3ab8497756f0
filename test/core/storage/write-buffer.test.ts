import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from './sqlite/test-database.ts';

const day = (n: number) => ({ owner_id: 'user', day: `2030-01-${String(n).padStart(2, '0')}` });
const one = { created: 1, completed: 0, failed: 0 };

describe('deferred rows', () => {
  it.each([1, 9, 10, 11, 49, 50, 51, 59, 61, 123])('stores %i deferred rows', async (count) => {
    await using test = await openTestDatabase();
    await test.database.write(async (transaction) => {
      for (let n = 0; n < count; n++)
        transaction.insertLater('state', { key: `fact ${n}`, value: String(n) });
    });
    const rows = await test.database.read
      .selectFrom('state')
      .selectAll()
      .where('key', 'like', 'fact%')
      .execute();
    expect(rows).toHaveLength(count);
    expect(rows.every(({ key, value }) => key === `fact ${value}`)).toBe(true);
  });

  it('stores deferred rows of several tables and writes correctly', async () => {
    await using test = await openTestDatabase();
    await Promise.all(
      [1, 2, 3].map((n) =>
        test.database.write(async (transaction) => {
          transaction.insertLater('state', { key: `fact ${n}`, value: '1' });
          transaction.insertLater('task_days', { ...day(n), ...one });
        }),
      ),
    );
    const { read } = test.database;
    expect(await read.selectFrom('state').select('key').where('key', 'like', 'fact%').execute()).toHaveLength(
      3,
    );
    expect(await read.selectFrom('task_days').selectAll().execute()).toHaveLength(3);
  });

  it('stores deferred rows of which one leaves out a nullable column', async () => {
    await using test = await openTestDatabase();
    const note = { owner_id: 'user', type: 'test', title: '', message: '', data: '{}', created_at: '' };
    const rows = [
      { id: '1', ...note },
      { id: '2', ...note, task_id: 'task_2' },
      { id: '3', ...note, read_at: 'now' },
      { id: '4', ...note },
    ];
    await test.database.write(async (transaction) => {
      for (const row of rows) transaction.insertLater('notifications', row);
    });
    const stored = await test.database.read.selectFrom('notifications').selectAll().orderBy('id').execute();
    expect(stored).toEqual(rows.map((row) => ({ task_id: null, read_at: null, ...row })));
  });

  it('leaves out a column that is null, which none with another default may be', async () => {
    await using test = await openTestDatabase();
    const columns = await sql<{ what: string }>`select m.name || '.' || c.name as what
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and c."notnull" = 0 and c.dflt_value is not null`.execute(test.database.read);
    expect(columns.rows).toEqual([]);
    const note = { owner_id: 'user', type: 'test', title: '', message: '', data: '{}', created_at: '' };
    const rows = Array.from({ length: 40 }, (_, n) => ({
      id: String(100 + n),
      ...note,
      task_id: n % 2 === 0 ? null : 'task_2',
      read_at: n % 3 === 0 ? null : 'now',
    }));
    await test.database.write(async (transaction) => {
      for (const row of rows) transaction.insertLater('notifications', row);
    });
    const stored = await test.database.read.selectFrom('notifications').selectAll().orderBy('id').execute();
    expect(stored).toEqual(rows);
  });

  it('stores deferred rows whose columns are in different orders', async () => {
    await using test = await openTestDatabase();
    await test.database.write(async (transaction) => {
      transaction.insertLater('state', { key: 'fact 1', value: 'first' });
      transaction.insertLater('state', { value: 'second', key: 'fact 2' });
    });
    const rows = await test.database.read
      .selectFrom('state')
      .selectAll()
      .where('key', 'like', 'fact%')
      .execute();
    expect(rows).toEqual([
      { key: 'fact 1', value: 'first' },
      { key: 'fact 2', value: 'second' },
    ]);
  });
});

describe('deferred amounts', () => {
  it('deferred amounts create a missing row or add to an existing one', async () => {
    await using test = await openTestDatabase();
    const add = () =>
      test.database.write(async (transaction) => transaction.addLater('task_days', day(1), one));
    await Promise.all([add(), add(), add()]);
    await add();
    const rows = await test.database.read.selectFrom('task_days').selectAll().execute();
    expect(rows).toEqual([{ ...day(1), created: 4, completed: 0, failed: 0 }]);
  });

  it('deferred amounts that add up to zero write nothing', async () => {
    await using test = await openTestDatabase();
    await test.database.write(async (transaction) => {
      transaction.addLater('task_days', day(1), one);
      transaction.addLater('task_days', day(1), { created: -1, completed: 0, failed: 0 });
      transaction.addLater('task_days', day(2), one);
    });
    const rows = await test.database.read.selectFrom('task_days').select('day').execute();
    expect(rows).toEqual([{ day: '2030-01-02' }]);
  });
});
