import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { expect, it } from 'vitest';
import { BudgetCounts } from '../../../src/core/budgets/budget-counts.ts';
import { BudgetMarks } from '../../../src/core/budgets/budget-marks.ts';
import type { MatchedBudget } from '../../../src/core/budgets/known-budgets.ts';
import type { Database, WriteTransaction } from '../../../src/core/storage/database.ts';
import type { Schema } from '../../../src/core/storage/schema.ts';
import { openStorage } from '../../helpers/storage.ts';

const day = '2026-03-31';
const budget = (period: MatchedBudget['period']): MatchedBudget => ({
  scope: 'user',
  period,
  tokens: 1000,
  onReached: 'stop',
  setBy: 'the test',
  counts: 'user:ann',
  name: 'Ann',
});
const counts = (database: Database) => new BudgetCounts(database, async () => undefined);

/** What a budget reads before each call of a model, and when one is used up. */
const reads: [string, (database: Database, transaction: WriteTransaction) => Promise<unknown>][] = [
  ['what was used in a month', (database) => counts(database).read('user:ann', 'month', day)],
  ['what was used on a day', (database) => counts(database).read('user:ann', 'day', day)],
  ['what many used together', (database) => counts(database).read('agent:a*', 'month', day)],
  ['what was added for a month', (database) => new BudgetMarks(database).granted(budget('month'), day)],
  ['what was added for a run', (database) => new BudgetMarks(database).granted(budget('run'), day)],
  [
    'whether a notice was sent',
    (database, transaction) => new BudgetMarks(database).setOnce(transaction, 'near', budget('run'), day),
  ],
];

it.each(reads)('reads %s by the counter, and no other counters of those days', async (_, read) => {
  await using storage = await openStorage(false);
  const [first] = await queriesOf(storage.database, read);
  if (!first) throw new Error('Nothing was read');
  const { rows } = await storage.database.read.executeQuery<{ detail: string }>({
    ...first,
    sql: `explain query plan ${first.sql}`,
  });
  expect(rows.map(({ detail }) => detail).join()).toMatch(
    /^SEARCH usage_days USING (COVERING )?INDEX usage_days_by_scope \(scope[=>]/,
  );
});

/** The queries of some code, none of which runs. */
async function queriesOf(
  database: Database,
  run: (database: Database, transaction: WriteTransaction) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void queries.push(query),
  });
  await run({ ...database, read: db }, { db } as WriteTransaction);
  return queries;
}
