import { sql } from 'kysely';
import type { Budget } from '../../contract/budgets.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import { countersOf } from '../usage/usage-counters.ts';
import type { UsageRecord, UsedBy } from '../usage/usage-record.ts';
import { type SharedCounters, sharedCounters } from './budget-match.ts';
import { startOf } from './budget-period.ts';

/** Tokens and USD. */
export interface Used {
  tokens: number;
  usd: number;
}

const nothing: Used = { tokens: 0, usd: 0 };
const plus = (a: Used, b: Used): Used => ({ tokens: a.tokens + b.tokens, usd: a.usd + b.usd });

/** Counts of more tasks than run at once are read again when they are needed. */
const MAX_KNOWN = 10_000;
/** Sorts after every text that continues. */
const LAST = '\u{10ffff}';

/**
 * What was used in a period. The stored rows are the truth, which daemons share; what this process knows of them is as
 * new as the last reading, with its own records since.
 */
export class BudgetCounts {
  readonly #database: Database;
  readonly #known = new Map<string, Used>();
  /** What this process recorded since the day began, by what it counts for. */
  readonly #recorded = new Map<string, Used>();
  /** The counters that are added up for a budget, as far as budgets were read. */
  readonly #shared = new Map<string, SharedCounters>();
  readonly #settled: () => Promise<void>;
  /** Compiled once, because they are read before each call of a model. */
  readonly #ofTask;
  readonly #ofScope;
  #day = '';

  /** `settled` resolves once everything that was recorded is stored. */
  constructor(database: Database, settled: () => Promise<void>) {
    this.#database = database;
    this.#settled = settled;
    const { read } = database;
    this.#ofTask = prepareQuery<{ taskId: string; start: string }, Used>((value) =>
      read
        .selectFrom('usage')
        .select([
          sql<number>`coalesce(cast(sum(input_tokens + output_tokens) as bigint), 0)`.as('tokens'),
          sql<number>`coalesce(sum(cost_usd), 0.0)`.as('usd'),
        ])
        .where('task_id', '=', value('taskId'))
        .where('task_id', '<>', '')
        .where('day', '>=', value('start')),
    );
    this.#ofScope = prepareQuery<{ scope: string; start: string; day: string }, Used>((value) =>
      read
        .selectFrom('usage_days')
        .select([
          sql<number>`coalesce(cast(sum(tokens) as bigint), 0)`.as('tokens'),
          sql<number>`coalesce(sum(cost_usd), 0.0)`.as('usd'),
        ])
        .where('scope', '=', value('scope'))
        .where('day', '>=', value('start'))
        .where('day', '<=', value('day')),
    );
  }

  /** Counts a record at once. */
  add({ usedBy, ...record }: UsageRecord, day: string): void {
    this.#startDay(day);
    const used = usedOf(record);
    const names = namesOf(usedBy);
    const sums = [...this.#shared]
      .filter(([, shared]) => names.some((name) => shared.has(name)))
      .map(([counts]) => counts);
    for (const counts of [...names, ...sums]) {
      this.#recorded.set(counts, plus(this.#recorded.get(counts) ?? nothing, used));
      for (const period of ['run', 'day', 'month'] as const) {
        const key = keyOf(counts, period, day);
        const known = this.#known.get(key);
        if (known) this.#known.set(key, plus(known, used));
      }
    }
  }

  /** What is known to be used now. */
  of(counts: string, period: Budget['period'], day: string): Used {
    return this.#known.get(keyOf(counts, period, day)) ?? nothing;
  }

  /** Reads what all daemons have stored. */
  async read(counts: string, period: Budget['period'], day: string): Promise<Used> {
    this.#startDay(day);
    const key = keyOf(counts, period, day);
    // First, so that what comes during the reading counts for it.
    const shared = await sharedCounters(this.#database, counts);
    if (shared) this.#shared.set(counts, shared);
    if (!this.#known.has(key)) await this.#settled();
    const before = this.#recorded.get(counts) ?? nothing;
    const start = startOf(period, day);
    const stored = shared ? await this.#sum(shared, start, day) : await this.#stored(counts, start, day);
    const after = this.#recorded.get(counts) ?? nothing;
    // Usage only grows, so whichever has seen more is right. What came during the reading is not in it.
    const known = this.#known.get(key) ?? {
      tokens: stored.tokens + Math.max(0, after.tokens - before.tokens),
      usd: stored.usd + Math.max(0, after.usd - before.usd),
    };
    const used = { tokens: Math.max(known.tokens, stored.tokens), usd: Math.max(known.usd, stored.usd) };
    this.#known.set(key, used);
    return used;
  }

  async #stored(counts: string, start: string, day: string): Promise<Used> {
    const query = counts.startsWith('task:')
      ? this.#ofTask({ taskId: counts.slice('task:'.length), start })
      : this.#ofScope({ scope: counts, start, day });
    const { rows } = await this.#database.read.executeQuery(query);
    return rows[0] ?? nothing;
  }

  async #sum({ prefix, ...shared }: SharedCounters, start: string, day: string): Promise<Used> {
    const rows = await this.#database.read
      .selectFrom('usage_days')
      .select([
        'scope',
        sql<number>`cast(sum(tokens) as bigint)`.as('tokens'),
        sql<number>`sum(cost_usd)`.as('usd'),
      ])
      .where('scope', '>=', prefix)
      .where('scope', '<', `${prefix}${LAST}`)
      .where('day', '>=', start)
      .where('day', '<=', day)
      .groupBy('scope')
      .execute();
    // Here, because the engines differ in how they match texts.
    return rows.filter(({ scope }) => shared.has(scope)).reduce<Used>(plus, nothing);
  }

  #startDay(day: string): void {
    if (this.#day === day && this.#known.size < MAX_KNOWN) return;
    this.#known.clear();
    this.#recorded.clear();
    this.#shared.clear();
    this.#day = day;
  }
}

const keyOf = (counts: string, period: Budget['period'], day: string) => `${counts}|${startOf(period, day)}`;
const usedOf = ({ inputTokens, outputTokens, costUsd = 0 }: Omit<UsageRecord, 'usedBy'>): Used => ({
  tokens: inputTokens + outputTokens,
  usd: costUsd,
});
const namesOf = (usedBy: UsedBy): string[] => [
  ...countersOf(usedBy),
  ...(usedBy.taskId === undefined ? [] : [`task:${usedBy.taskId}`]),
];
