import { describe, expect, it } from 'vitest';
import { excessOf, type PerUserLimit, requireRoom } from '../../../src/core/limits/per-user-limit.ts';
import { openTestDatabase } from '../storage/sqlite/test-database.ts';

const perUser: PerUserLimit = { table: 'task_days', max: 2, noun: 'days', remedy: 'Wait: svc wait' };
const dayOf = (owner_id: string, day: string) => ({ owner_id, day, created: 1, completed: 0, failed: 0 });

describe('a limit per user', () => {
  it('refuses one object over the limit, without counting those of other users', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const { read } = database;
    const store = (owner: string, day: string) =>
      database.write(async (transaction) => transaction.insertLater('task_days', dayOf(owner, day)));
    await store('ann', '2030-01-01');
    await store('bob', '2030-01-01');
    await expect(requireRoom(database.engine, read, perUser, 'ann')).resolves.toBeUndefined();
    await store('ann', '2030-01-02');
    await expect(requireRoom(database.engine, read, perUser, 'ann')).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'Limit reached: 2 days per user. Wait: svc wait',
    });
    await expect(requireRoom(database.engine, read, perUser, 'bob')).resolves.toBeUndefined();
    expect(await excessOf(read, { ...perUser, max: 1 }, 'ann')).toBe(2);
  });
});
