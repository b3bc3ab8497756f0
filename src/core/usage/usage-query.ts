import { type RawBuilder, sql } from 'kysely';
import type { UsageCsvQuery, UsageEntry, UsageGroup, UsageSum } from '../../contract/usage.ts';
import type { Database } from '../storage/database.ts';
import type { UsageRow } from '../storage/rows/usage.ts';

const keys: Record<UsageGroup, RawBuilder<string>> = {
  day: sql<string>`day`,
  month: sql<string>`substr(day, 1, 7)`,
  agent: sql<string>`agent`,
  model: sql<string>`case when provider = '' then model else provider || '/' || model end`,
  provider: sql<string>`provider`,
  user: sql<string>`owner_id`,
  token: sql<string>`token_id`,
  repository: sql<string>`repository`,
  task: sql<string>`task_id`,
  conversation: sql<string>`conversation_id`,
};

const whole = (column: keyof UsageRow) => sql<number>`coalesce(cast(sum(${sql.ref(column)}) as bigint), 0)`;
const sums = [
  whole('input_tokens').as('inputTokens'),
  whole('output_tokens').as('outputTokens'),
  whole('cached_tokens').as('cachedTokens'),
  whole('calls').as('calls'),
  sql<number>`coalesce(sum(cost_usd), 0.0)`.as('costUsd'),
  whole('unknown_calls').as('unknownCalls'),
] as const;

/** Which rows of the ledger count. */
export interface UsageConditions extends Omit<UsageCsvQuery, 'by'> {
  from: string;
  to: string;
  /** Only what this user used. */
  ownerId: string | undefined;
}

/** Adds up the rows of the ledger. */
export class UsageQuery {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async sum(where: UsageConditions): Promise<UsageSum> {
    const row = await this.#rows(where)
      .select([...sums])
      .executeTakeFirst();
    return row ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, calls: 0, costUsd: 0, unknownCalls: 0 };
  }

  /** Days and months in order, everything else with the highest cost first. */
  async groups(
    by: UsageGroup,
    where: UsageConditions,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<UsageEntry[]> {
    const grouped = this.#rows(where)
      .select([keys[by].as('key'), ...sums])
      .groupBy(keys[by]);
    const isTime = by === 'day' || by === 'month';
    const ordered = isTime
      ? grouped.orderBy('key')
      : grouped.orderBy('costUsd', 'desc').orderBy('inputTokens', 'desc').orderBy('key');
    return ordered.limit(limit).offset(offset).execute();
  }

  async count(by: UsageGroup, where: UsageConditions): Promise<number> {
    const row = await this.#rows(where)
      .select(sql<number>`cast(count(distinct ${keys[by]}) as bigint)`.as('n'))
      .executeTakeFirst();
    return row?.n ?? 0;
  }

  #rows(where: UsageConditions) {
    let query = this.#database.longRead
      .selectFrom('usage')
      .where('day', '>=', where.from)
      .where('day', '<=', where.to);
    const equal = {
      owner_id: where.ownerId,
      agent: where.agent,
      provider: where.provider,
      token_id: where.tokenId,
      repository: where.repository,
      task_id: where.taskId,
      conversation_id: where.conversationId,
    };
    for (const [column, value] of Object.entries(equal))
      if (value !== undefined) query = query.where(sql.ref(column), '=', value);
    if (where.userId !== undefined) query = query.where('owner_id', '=', where.userId);
    if (where.model !== undefined) query = query.where(keys.model, '=', where.model);
    return query;
  }
}
