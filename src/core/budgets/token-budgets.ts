import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { ApiTokenRow } from '../storage/rows/auth.ts';
import type { KnownBudget } from './known-budgets.ts';

/** As long as a caller is known by its token. */
const TTL_MS = 1000;
const MAX_KNOWN = 1000;

type TokenRow = Pick<
  ApiTokenRow,
  'id' | 'name' | 'tokens_per_day' | 'cost_per_day' | 'tokens_per_month' | 'cost_per_month'
>;

const tokenRows = ({ read }: Pick<Database, 'read'>) =>
  read
    .selectFrom('api_tokens')
    .select(['id', 'name', 'tokens_per_day', 'cost_per_day', 'tokens_per_month', 'cost_per_month']);

export interface TokenBudgetsDeps {
  database: Database;
  runtime: Pick<Runtime, 'monotonic'>;
}

/** The budgets of single API tokens, looked up for each call of a model and kept for a moment. */
export class TokenBudgets {
  readonly #deps: TokenBudgetsDeps;
  readonly #byId;
  readonly #known = new Map<string, { budgets: KnownBudget[]; until: number }>();

  constructor(deps: TokenBudgetsDeps) {
    this.#deps = deps;
    this.#byId = prepareQuery<{ id: string }, TokenRow>((value) =>
      tokenRows(deps.database).where('id', '=', value('id')),
    );
  }

  /** None for a token that there is not. */
  async of(id: string): Promise<readonly KnownBudget[]> {
    const { database, runtime } = this.#deps;
    const known = this.#known.get(id);
    const now = runtime.monotonic();
    if (known && known.until > now) return known.budgets;
    const { rows } = await database.read.executeQuery(this.#byId({ id }));
    const budgets = toTokenBudgets(rows);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, { budgets, until: now + TTL_MS });
    return budgets;
  }
}

/** The budgets that API tokens have of their own. */
export async function tokenBudgets(
  database: Database,
  { ownerId }: { ownerId?: string | undefined },
): Promise<KnownBudget[]> {
  const query = tokenRows(database);
  return toTokenBudgets(
    await (ownerId === undefined ? query : query.where('owner_id', '=', ownerId)).execute(),
  );
}

const toTokenBudgets = (rows: readonly TokenRow[]): KnownBudget[] =>
  rows.flatMap((row) => {
    const budget = (period: 'day' | 'month', tokens: number | null, usd: number | null): KnownBudget[] =>
      tokens === null && usd === null
        ? []
        : [
            {
              scope: 'token',
              match: row.id,
              period,
              ...(tokens !== null && { tokens }),
              ...(usd !== null && { usd }),
              onReached: 'stop',
              setBy: 'token',
              tokenName: row.name,
            },
          ];
    return [
      ...budget('day', row.tokens_per_day, row.cost_per_day),
      ...budget('month', row.tokens_per_month, row.cost_per_month),
    ];
  });
