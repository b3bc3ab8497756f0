import { expect, it } from 'vitest';
import { TokenBudgets } from '../../../src/core/budgets/token-budgets.ts';
import { openStorage } from '../../helpers/storage.ts';

it('knows the budgets of a token for a second', async () => {
  await using storage = await openStorage();
  const { database } = storage;
  await database.write(async ({ db }) => {
    const at = '2026-01-01';
    const user = { id: 'ann', email: 'a@example.org', name: 'Ann', role: 'user' as const };
    await db
      .insertInto('users')
      .values({ ...user, onboarding_completed: 0, created_at: at })
      .execute();
    const token = { id: 'tok_1', owner_id: 'ann', name: 'ci', token_hash: 'x', prefix: 'x', scopes: '[]' };
    await db
      .insertInto('api_tokens')
      .values({ ...token, created_at: at, cost_per_day: 2 })
      .execute();
  });
  let now = 0;
  const budgets = new TokenBudgets({ database, runtime: { monotonic: () => now } });
  expect(await budgets.of('tok_1')).toMatchObject([{ match: 'tok_1', period: 'day', usd: 2 }]);
  expect(await budgets.of('tok_2')).toEqual([]);
  await database.write(({ db }) => db.updateTable('api_tokens').set({ cost_per_day: 3 }).execute());
  now = 999;
  expect(await budgets.of('tok_1')).toMatchObject([{ usd: 2 }]);
  now = 1000;
  expect(await budgets.of('tok_1')).toMatchObject([{ usd: 3 }]);
});
