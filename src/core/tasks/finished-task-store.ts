import { sql } from 'kysely';
import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from '../storage/database.ts';

/** What a finished task used, as far as its agent reports it. */
export interface TaskUsageRow {
  day: string;
  agent: string | null;
  model: string | null;
  tokens: number | null;
  cost: string | null;
}

/** How a task ended. */
export interface FinishedRow {
  status: TaskStatus;
  started_at: string | null;
  completed_at: string;
  /** The class of its failure. */
  failure: string | null;
}

/** Tasks that finished since a moment, the newest first and at most `limit` of them. */
export interface FinishedQuery {
  since: string;
  limit: number;
  ownerId?: string | undefined;
  /** Whether the owner has so few tasks that all of them can be read. */
  hasFew?: boolean;
}

/** Reads the newest finished tasks for statistics. */
export class FinishedTaskStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  list(query: FinishedQuery): Promise<FinishedRow[]> {
    const { engine } = this.#database;
    return this.#newest(query)
      .select([
        'status',
        'started_at',
        sql<string>`completed_at`.as('completed_at'),
        engine.jsonValue<string | null>('error', '$.class').as('failure'),
      ])
      .execute();
  }

  /** What they used, without reading their output. */
  usage(query: FinishedQuery): Promise<TaskUsageRow[]> {
    const { engine } = this.#database;
    return (
      this.#newest(query)
        .select([
          sql<string>`substr(completed_at, 1, 10)`.as('day'),
          'agent_type as agent',
          engine.jsonValue<string | null>('result', '$.model').as('model'),
          engine.jsonValue<number | null>('result', '$.usage.totalTokens').as('tokens'),
          engine.jsonValue<string | null>('result', '$.cost').as('cost'),
        ])
        // Its candidates are tasks of their own.
        .where('best_of', 'is', null)
        .execute()
    );
  }

  /** Milliseconds that the completed ones among the newest finished tasks took; only for small limits. */
  async durations(limit: number): Promise<number[]> {
    const rows = await this.#database.read
      .selectFrom('tasks')
      .select(['status', 'started_at', 'completed_at'])
      .where('completed_at', 'is not', null)
      .orderBy('completed_at', 'desc')
      .limit(limit)
      .execute();
    return rows
      .filter(({ status }) => status === 'completed')
      .map(({ started_at, completed_at }) => elapsed(started_at, completed_at ?? ''));
  }

  /** When the agent completed its newest completed task. */
  async lastCompletion(agentType: string): Promise<string | undefined> {
    const row = await this.#database.longRead
      .selectFrom('tasks')
      .select('completed_at')
      .where(sql`coalesce(agent_type, assigned_agent)`, '=', agentType)
      .where('status', '=', 'completed')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.completed_at ?? undefined;
  }

  #newest({ since, limit, ownerId, hasFew = false }: FinishedQuery) {
    const { longRead, engine } = this.#database;
    // The few tasks of an owner are sorted; of many, the newest are found in the order of all.
    const time = hasFew ? engine.withoutIndex<string>('tasks.completed_at') : sql.ref<string>('completed_at');
    const owner = hasFew ? sql.ref<string>('owner_id') : engine.withoutIndex<string>('tasks.owner_id');
    return longRead
      .selectFrom('tasks')
      .where(time, '>=', since)
      .where(engine.inTime())
      .$if(ownerId !== undefined, (query) => query.where(owner, '=', ownerId ?? ''))
      .orderBy(time, 'desc')
      .limit(limit);
  }
}

/** Milliseconds between two moments; 0 where the first is unknown. */
export const elapsed = (from: string | null, to: string): number => Date.parse(to) - Date.parse(from ?? to);
