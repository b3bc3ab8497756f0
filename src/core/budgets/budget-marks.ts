import { sql } from 'kysely';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Used } from './budget-counts.ts';
import { startOf } from './budget-period.ts';
import type { MatchedBudget } from './known-budgets.ts';

export type Mark = 'near' | 'reached';

/** What is stored of a budget besides its usage: what a person added to it, and which notices were sent. */
export class BudgetMarks {
  readonly #database: Database;
  /** Compiled once, because it is read before each call of a model. */
  readonly #granted;
  constructor(database: Database) {
    this.#database = database;
    this.#granted = prepareQuery<{ scope: string; start: string }, Used>((value) =>
      database.read
        .selectFrom('usage_days')
        .select([
          sql<number>`coalesce(cast(sum(tokens) as bigint), 0)`.as('tokens'),
          sql<number>`coalesce(sum(cost_usd), 0.0)`.as('usd'),
        ])
        .where('scope', '=', value('scope'))
        .where('day', '>=', value('start')),
    );
  }

  /** What people added to the budget in this period. */
  async granted(budget: MatchedBudget, day: string): Promise<Used> {
    const query = this.#granted({ scope: scopeOf('grant', budget), start: startOf(budget.period, day) });
    const { rows } = await this.#database.read.executeQuery(query);
    return rows[0] ?? { tokens: 0, usd: 0 };
  }

  grant(transaction: WriteTransaction, budget: MatchedBudget, day: string, more: Used): void {
    const key = { day: startOf(budget.period, day) || day, scope: scopeOf('grant', budget) };
    transaction.addLater('usage_days', key, { tokens: more.tokens, cost_usd: more.usd });
  }

  /** Whether this is the first call with the mark for the budget and its period, of all daemons. */
  async setOnce({ db }: WriteTransaction, mark: Mark, budget: MatchedBudget, day: string): Promise<boolean> {
    const scope = scopeOf(mark, budget);
    if (budget.period === 'run') {
      const found = await db
        .selectFrom('usage_days')
        .select('day')
        .where('scope', '=', scope)
        .executeTakeFirst();
      if (found) return false;
    }
    const row = await db
      .insertInto('usage_days')
      .values({ day: startOf(budget.period, day) || day, scope, tokens: 0, cost_usd: 0 })
      .onConflict((conflict) => conflict.columns(['day', 'scope']).doNothing())
      .returning('scope')
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** A changed budget is another one. */
const scopeOf = (mark: Mark | 'grant', { period, tokens, usd, counts }: MatchedBudget): string =>
  `${mark}:${period}:${tokens ?? ''}/${usd ?? ''}:${counts}`;
