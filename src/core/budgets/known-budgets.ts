import type { Budget } from '../../contract/budgets.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../storage/database.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import { fits, isByAddress, isShared } from './budget-match.ts';

/** A budget with where it is set. */
export interface KnownBudget extends Budget {
  setBy: string;
  /** The name of the token that it is for. */
  tokenName?: string | undefined;
}

/** A budget that counts for a piece of work, with whose usage it counts. */
export interface MatchedBudget extends KnownBudget {
  /**
   * `all`, `agent:NAME`, `token:ID`, `user:ID`, `repository:NAME` or `task:ID`, as for every run. With a pattern in place of
   * the name, or of the e-mail address of a user, it adds up all that match.
   */
  counts: string;
  /** For people, as the subject of a sentence. */
  name: string;
}

export interface KnownBudgetsDeps {
  database: Pick<Database, 'read'>;
  config: Pick<Config, 'get'>;
  /** The budgets that API tokens have of their own. */
  tokenBudgets: { of(tokenId: string): Promise<readonly KnownBudget[]> };
}

/** The budgets of the settings: those of the list, and those that have settings of their own. */
export function configuredBudgets(config: Pick<Config, 'get'>): KnownBudget[] {
  const byAgent = (key: 'agents.tokensPerDay' | 'agents.costPerDay', unit: 'tokens' | 'usd'): KnownBudget[] =>
    Object.entries(config.get(key)).map(([match, amount]) => ({
      scope: 'agent',
      match,
      period: 'day',
      [unit]: amount,
      onReached: 'stop',
      setBy: key,
    }));
  const ofAll = (key: 'limits.tokensPerDay' | 'limits.costPerDay', unit: 'tokens' | 'usd'): KnownBudget[] => {
    const amount = config.get(key);
    return amount === undefined
      ? []
      : [{ scope: 'all', period: 'day', [unit]: amount, onReached: 'stop', setBy: key }];
  };
  return [
    ...ofAll('limits.tokensPerDay', 'tokens'),
    ...ofAll('limits.costPerDay', 'usd'),
    ...byAgent('agents.tokensPerDay', 'tokens'),
    ...byAgent('agents.costPerDay', 'usd'),
    ...config.get('budgets').map((budget) => ({ ...budget, setBy: 'budgets' })),
  ];
}

async function findAddress({ read }: Pick<Database, 'read'>, id: string): Promise<string | undefined> {
  const row = await read.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst();
  return row?.email;
}

/** The budgets that count for work. */
export async function budgetsOf(
  { database, config, tokenBudgets }: KnownBudgetsDeps,
  usedBy: UsedBy,
): Promise<MatchedBudget[]> {
  const { tokenId } = usedBy;
  const known = [
    ...configuredBudgets(config),
    ...(tokenId === undefined ? [] : await tokenBudgets.of(tokenId)),
  ];
  const address = known.some(isByAddress) ? await findAddress(database, usedBy.userId) : undefined;
  return known.flatMap((budget) => {
    const key = keyOf(budget, usedBy);
    if (key === undefined || !fits(budget, key, address)) return [];
    // What is not a task has no run to count.
    if (budget.period === 'run' && usedBy.taskId === undefined) return [];
    const found = matched(budget, isShared(budget) ? (budget.match ?? key) : key);
    return [budget.period === 'run' ? { ...found, counts: `task:${usedBy.taskId}` } : found];
  });
}

/** The budget with the key, or the pattern, of those whose usage it counts. */
export const matched = (budget: KnownBudget, key: string): MatchedBudget => ({
  ...budget,
  counts: budget.scope === 'all' ? 'all' : `${budget.scope}:${key}`,
  name: nameOf(budget, key),
});

function keyOf({ scope }: Budget, usedBy: UsedBy): string | undefined {
  const keys = {
    all: '',
    task: usedBy.taskId,
    agent: usedBy.agent,
    token: usedBy.tokenId,
    user: usedBy.userId || undefined,
    repository: usedBy.repository,
  };
  return keys[scope];
}

function nameOf({ scope, period, tokenName }: KnownBudget, key: string): string {
  const budget = `the budget of the ${period}`;
  if (scope === 'all') return budget;
  const isPattern = key.includes('*');
  const whose = {
    task: `the task ${key}`,
    agent: isPattern ? `the agents ${key}` : key,
    token: `the API token ${tokenName ?? key}`,
    user: `the ${isPattern ? 'users' : 'user'} ${key}`,
    repository: isPattern ? `the repositories ${key}` : key,
  };
  return `${budget} of ${whose[scope]}`;
}
