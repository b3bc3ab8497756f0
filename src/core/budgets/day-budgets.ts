import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Config } from '../config/config.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { DayUsageStore, type Used } from './day-usage-store.ts';

const DAY_MS = 86_400_000;

export interface DayBudgetsDeps {
  database: Database;
  config: Pick<Config, 'get'>;
  runtime: Pick<Runtime, 'now'>;
  reportBug: (error: unknown) => void;
}

/** A limit for a day, of all tasks or of some. */
interface DayBudget {
  scope: string;
  /** For people, as the subject of a sentence. */
  name: string;
  tokens: number | undefined;
  costUsd: number | undefined;
}

/** What a run may use, watched while it runs. */
export interface RunBudget {
  /** Takes what the run has used so far, in all; answers the failure once a budget of the day is used up. */
  spend(total: Used): AgentFailure | undefined;
}

/** The budgets of a day, which tasks of one agent, of one API token or of everybody share. A day begins at 00:00 UTC. */
export class DayBudgets {
  readonly #deps: DayBudgetsDeps;
  readonly #store: DayUsageStore;
  /** What was used today, by scope; of runs of this process also what is not stored yet. */
  readonly #used = new Map<string, Used>();
  #day = '';

  constructor(deps: DayBudgetsDeps) {
    this.#deps = deps;
    this.#store = new DayUsageStore(deps.database);
  }

  /** The budget of a run that begins; throws an `AgentFailure` where one of the day is used up already. */
  async begin(agent: string, tokenId: string | null): Promise<RunBudget> {
    const budgets = await this.#budgetsOf(agent, tokenId);
    for (const { scope } of budgets) await this.#load(scope);
    // Where nothing is left, no run begins; one that uses the last of it may still finish.
    const spent = this.#exceeded(budgets, (used, limit) => used >= limit);
    if (spent) throw spent;
    let before: Used = { tokens: 0, costUsd: 0 };
    return {
      spend: (total) => {
        const added = { tokens: total.tokens - before.tokens, costUsd: total.costUsd - before.costUsd };
        if (added.tokens <= 0 && added.costUsd <= 0) return undefined;
        before = total;
        this.#add(budgets, added);
        return this.#exceeded(budgets, (used, limit) => used > limit);
      },
    };
  }

  /** Removes what no budget looks at any more. */
  tidy(): Promise<void> {
    return this.#store.removeBefore(dayOf(new Date(this.#deps.runtime.now().getTime() - 90 * DAY_MS)));
  }

  async #budgetsOf(agent: string, tokenId: string | null): Promise<DayBudget[]> {
    const { config } = this.#deps;
    const budgets: DayBudget[] = [
      {
        scope: 'all',
        name: 'the budget of the day',
        tokens: config.get('limits.tokensPerDay'),
        costUsd: config.get('limits.costPerDay'),
      },
      {
        scope: `agent:${agent}`,
        name: `the budget of the day of ${agent}`,
        tokens: config.get('agents.tokensPerDay')[agent],
        costUsd: config.get('agents.costPerDay')[agent],
      },
    ];
    if (tokenId === null) return budgets;
    const token = await this.#deps.database.read
      .selectFrom('api_tokens')
      .select(['name', 'tokens_per_day', 'cost_per_day'])
      .where('id', '=', tokenId)
      .executeTakeFirst();
    const { name = '', tokens_per_day: tokens = null, cost_per_day: costUsd = null } = token ?? {};
    return [
      ...budgets,
      {
        scope: `token:${tokenId}`,
        name: `the budget of the day of the API token ${name}`,
        tokens: tokens ?? undefined,
        costUsd: costUsd ?? undefined,
      },
    ];
  }

  #today(): string {
    const today = dayOf(this.#deps.runtime.now());
    if (today !== this.#day) this.#used.clear();
    this.#day = today;
    return today;
  }

  async #load(scope: string): Promise<void> {
    const today = this.#today();
    if (this.#used.has(scope)) return;
    const stored = await this.#store.find(today, scope);
    // Another run may have begun to use it meanwhile.
    if (!this.#used.has(scope)) this.#used.set(scope, stored);
  }

  #add(budgets: readonly DayBudget[], added: Used): void {
    const today = this.#today();
    for (const { scope } of budgets) {
      const used = this.#used.get(scope) ?? { tokens: 0, costUsd: 0 };
      this.#used.set(scope, { tokens: used.tokens + added.tokens, costUsd: used.costUsd + added.costUsd });
    }
    const scopes = budgets.map(({ scope }) => scope);
    this.#store.add(today, scopes, added).catch(this.#deps.reportBug);
  }

  #exceeded(
    budgets: readonly DayBudget[],
    isSpent: (used: number, limit: number) => boolean,
  ): AgentFailure | undefined {
    const today = this.#today();
    for (const { scope, name, tokens, costUsd } of budgets) {
      const used = this.#used.get(scope) ?? { tokens: 0, costUsd: 0 };
      const limit =
        tokens !== undefined && isSpent(used.tokens, tokens)
          ? `${tokens} tokens`
          : costUsd !== undefined && isSpent(used.costUsd, costUsd)
            ? `${costUsd.toFixed(2)} USD`
            : undefined;
      if (limit === undefined) continue;
      const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} is used up: ${limit}. The next day begins at 00:00 UTC`;
      return new AgentFailure('budget', 'day_budget', message, {
        resetsAt: Date.parse(`${today}T00:00:00Z`) + DAY_MS,
      });
    }
    return undefined;
  }
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
