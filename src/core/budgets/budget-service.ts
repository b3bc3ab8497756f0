import type { BudgetStatus } from '../../contract/budgets.ts';
import { type Caller, isAdmin, visibleOwner } from '../auth/caller.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { dayOf } from '../usage/usage-days.ts';
import { shareOf } from './budget-notices.ts';
import { nextStart, startOf } from './budget-period.ts';
import type { Budgets } from './budgets.ts';
import { configuredBudgets, type KnownBudget, type KnownBudgetsDeps, matched } from './known-budgets.ts';
import { tokenBudgets } from './token-budgets.ts';

/** Of budgets that each user, token or repository has, so many are shown: those that used most. */
const MAX_KEYS = 50;

export interface BudgetServiceDeps extends Pick<KnownBudgetsDeps, 'config'> {
  database: Database;
  budgets: Pick<Budgets, 'counts' | 'marks'>;
  runtime: Pick<Runtime, 'now'>;
}

/** Shows the budgets and how much of each is used. */
export class BudgetService {
  readonly #deps: BudgetServiceDeps;
  constructor(deps: BudgetServiceDeps) {
    this.#deps = deps;
  }

  /** All of them to an administrator; to a user those of the user and of the user's tokens. */
  async list(caller: Caller): Promise<BudgetStatus[]> {
    const known = [
      ...configuredBudgets(this.#deps.config),
      ...(await tokenBudgets(this.#deps.database, { ownerId: visibleOwner(caller) })),
    ];
    const statuses: BudgetStatus[] = [];
    for (const budget of known)
      for (const key of await this.#keysOf(budget, caller)) statuses.push(await this.#statusOf(budget, key));
    return statuses;
  }

  /** Whose usage a budget counts, as far as the caller may see it; undefined for a budget of each task. */
  async #keysOf(budget: KnownBudget, caller: Caller): Promise<(string | undefined)[]> {
    const { scope, match, period } = budget;
    if (scope === 'user' && !isAdmin(caller))
      return match === undefined || match === caller.userId ? [caller.userId] : [];
    if (scope !== 'token' && !isAdmin(caller)) return [];
    if (match !== undefined) return [match];
    if (scope === 'task' || period === 'run') return [undefined];
    if (scope === 'all') return [''];
    return this.#usedKeys(scope, startOf(period, this.#today()), visibleOwner(caller));
  }

  async #usedKeys(scope: string, start: string, ownerId: string | undefined): Promise<string[]> {
    const { database } = this.#deps;
    const prefix = `${scope}:`;
    let query = database.read
      .selectFrom('usage_days')
      .select(['scope', ({ fn }) => fn.sum<number>('tokens').as('used')])
      .where('scope', '>', prefix)
      .where('scope', '<', `${scope};`)
      .where('day', '>=', start)
      .groupBy('scope')
      .orderBy('used', 'desc')
      .limit(MAX_KEYS);
    if (ownerId !== undefined) {
      const own = await database.read
        .selectFrom('api_tokens')
        .select('id')
        .where('owner_id', '=', ownerId)
        .execute();
      if (own.length === 0) return [];
      query = query.where(
        'scope',
        'in',
        own.map(({ id }) => `${prefix}${id}`),
      );
    }
    return (await query.execute()).map((row) => row.scope.slice(prefix.length));
  }

  async #statusOf(budget: KnownBudget, key: string | undefined): Promise<BudgetStatus> {
    const { budgets } = this.#deps;
    const day = this.#today();
    const { scope, period, onReached, setBy } = budget;
    const named = matched(budget, key ?? '');
    const isCounted = key !== undefined && period !== 'run';
    const granted = isCounted ? await budgets.marks.granted(named, day) : { tokens: 0, usd: 0 };
    const tokens = budget.tokens === undefined ? undefined : budget.tokens + granted.tokens;
    const usd = budget.usd === undefined ? undefined : budget.usd + granted.usd;
    const used = isCounted ? await budgets.counts.read(named.counts, period, day) : undefined;
    const resetsAt = nextStart(period, day);
    return {
      name: isCounted
        ? named.name
        : `the budget of each ${scope === 'task' || scope === 'all' ? 'task' : `task, by ${scope}`}`,
      scope,
      ...(key && { key }),
      period,
      ...(tokens !== undefined && { tokens }),
      ...(usd !== undefined && { usd }),
      onReached,
      ...(used && {
        usedTokens: used.tokens,
        usedUsd: used.usd,
        share: shareOf({ tokens, usd }, used),
      }),
      ...(resetsAt !== undefined && { resetsAt: new Date(resetsAt).toISOString() }),
      setBy,
    };
  }

  #today(): string {
    return dayOf(this.#deps.runtime.now());
  }
}
