import { describe, expect, it } from 'vitest';
import { prepareQuery } from '../../../src/core/storage/prepared-query.ts';
import { keep, openTestDatabase } from './sqlite/test-database.ts';

describe('prepareQuery', () => {
  it('compiles once and binds the values of each call', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const { read } = database;
    await database.write(keep('fact 1', 'one'));
    await database.write(keep('fact 2', 'two'));
    let built = 0;
    const find = prepareQuery<{ key: string }, { value: string }>((value) => {
      built++;
      return read.selectFrom('state').select('value').where('key', '=', value('key'));
    });
    expect((await read.executeQuery(find({ key: 'fact 1' }))).rows).toEqual([{ value: 'one' }]);
    expect((await read.executeQuery(find({ key: 'fact 2' }))).rows).toEqual([{ value: 'two' }]);
    expect((await read.executeQuery(find({ key: 'nothing' }))).rows).toEqual([]);
    expect(built).toBe(1);
  });

  it('binds each value at its position, also one that is used twice', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    await database.write(keep('fact', 'old'));
    const change = (values: { from: string; to: string }) =>
      database.write(async ({ db }) => {
        const query = prepareQuery<typeof values, { value: string }>((value) =>
          db
            .updateTable('state')
            .set({ value: value('to') })
            .where('value', '=', value('from'))
            .where('value', '!=', value('to'))
            .returning('value'),
        );
        return (await db.executeQuery(query(values))).rows;
      });
    expect(await change({ from: 'old', to: 'new' })).toEqual([{ value: 'new' }]);
    expect(await change({ from: 'old', to: 'new' })).toEqual([]);
  });
});
