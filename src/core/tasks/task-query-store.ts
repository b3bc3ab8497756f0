import { type ExpressionWrapper, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import type { FilterTasksQuery } from '../../contract/tasks.ts';
import type { TaskField } from '../../contract/task.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import type { Database } from '../storage/database.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';
import type { Schema } from '../storage/schema.ts';
import type { Position } from './cursor.ts';
import { columnOf } from './task-columns.ts';
import type { StoredTask } from './task-mapping.ts';

/** The conditions of a list of tasks. */
export type TaskConditions = Pick<
  FilterTasksQuery,
  | 'status'
  | 'priority'
  | 'source'
  | 'sourceId'
  | 'agent'
  | 'labels'
  | 'createdAfter'
  | 'createdBefore'
  | 'completedAfter'
  | 'completedBefore'
  | 'repository'
  | 'cwd'
  | 'q'
> & { ownerId?: string | undefined };

export interface TaskPage {
  fields: readonly TaskField[];
  /** Also reads the result without its texts, as `outcome`. */
  hasOutcome?: boolean;
  sortBy: FilterTasksQuery['sortBy'];
  sortOrder: FilterTasksQuery['sortOrder'];
  limit: number;
  offset?: number | undefined;
  after?: Position | undefined;
}

/** A row of a list, with the columns that were read. */
export type ListedRow = Partial<StoredTask> & { outcome?: string | null };

type Query<O> = SelectQueryBuilder<Schema, 'tasks', O>;

/** What a finished task used, as far as its agent reports it. */
export interface TaskUsageRow {
  day: string;
  agent: string | null;
  model: string | null;
  tokens: number | null;
  cost: string | null;
}

/** Reads pages of tasks by key, so that the last page costs what the first one does. */
export class TaskQueryStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async page(conditions: TaskConditions, page: TaskPage): Promise<ListedRow[]> {
    const sortColumn = columnOf[page.sortBy];
    const columns = new Set<keyof TaskRow>([
      'id',
      'seq',
      sortColumn,
      ...page.fields.map((field) => columnOf[field]),
    ]);
    const { read, engine } = this.#database;
    const selected = read
      .selectFrom('tasks')
      .select([...columns])
      .$if(page.hasOutcome === true, (query) => query.select(engine.resultWithoutTexts().as('outcome')));
    if (conditions.cwd === undefined) return this.#cut(selected, conditions, page).execute();
    // The many tasks of a directory are sorted without their rows, of which only a page is read.
    const found = this.#cut(read.selectFrom('tasks').select('seq'), conditions, page);
    return selected
      .where('seq', 'in', found)
      .orderBy(sortColumn, page.sortOrder)
      .orderBy('seq', page.sortOrder)
      .execute();
  }

  /** The part of the list that the page shows. */
  #cut<O>(from: Query<O>, conditions: TaskConditions, page: TaskPage): Query<O> {
    const sortColumn = columnOf[page.sortBy];
    let query = this.#where(from, conditions);
    // An unfinished task has no position in an order by finish time.
    if (page.sortBy === 'completedAt') query = query.where('completed_at', 'is not', null);
    const direction = page.sortOrder === 'asc' ? '>' : '<';
    if (page.after) {
      const { value, seq } = page.after;
      query = query.where((is) => is(is.refTuple(sortColumn, 'seq'), direction, is.tuple(value, seq)));
    }
    query = query.orderBy(sortColumn, page.sortOrder).orderBy('seq', page.sortOrder).limit(page.limit);
    return page.offset === undefined ? query : query.offset(page.offset);
  }

  async count(conditions: TaskConditions, hasToEnd = false): Promise<number> {
    let query = this.#where(this.#database.read.selectFrom('tasks'), conditions);
    if (hasToEnd) query = query.where('completed_at', 'is not', null);
    const row = await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst();
    return row?.n ?? 0;
  }

  /** Rows by their number, for an export that walks through the whole table. */
  async slice(afterSeq: number, limit: number, ownerId: string | undefined): Promise<StoredTask[]> {
    let query = this.#database.read.selectFrom('tasks').selectAll().where('seq', '>', afterSeq);
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    return query.orderBy('seq').limit(limit).execute();
  }

  /** Milliseconds that the newest completed tasks took, at most `limit` of them, since a moment. */
  async durations(
    since: string,
    limit: number,
    ownerId: string | undefined,
  ): Promise<{ day: string; ms: number }[]> {
    const rows = await this.#ended(since, limit, ownerId)
      .select(['started_at', 'completed_at'])
      .where('status', '=', 'completed')
      .execute();
    return rows.map(({ started_at, completed_at }) => ({
      day: (completed_at ?? '').slice(0, 10),
      ms: Date.parse(completed_at ?? '') - Date.parse(started_at ?? completed_at ?? ''),
    }));
  }

  /** The errors of the newest failed tasks since then, as JSON. */
  async failures(since: string, limit: number, ownerId: string | undefined): Promise<(string | null)[]> {
    const rows = await this.#ended(since, limit, ownerId)
      .select('error')
      .where('status', '=', 'failed')
      .execute();
    return rows.map(({ error }) => error);
  }

  /** What the newest finished tasks since then used, without reading their output. */
  usage(since: string, limit: number, ownerId: string | undefined): Promise<TaskUsageRow[]> {
    const { engine } = this.#database;
    return (
      this.#ended(since, limit, ownerId)
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

  #ended(since: string, limit: number, ownerId: string | undefined) {
    const query = this.#database.read
      .selectFrom('tasks')
      .where('completed_at', '>=', since)
      .orderBy('completed_at', 'desc')
      .limit(limit);
    return ownerId === undefined ? query : query.where('owner_id', '=', ownerId);
  }

  /** When the agent last completed a task. */
  async lastCompletion(agentType: string): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('tasks')
      .select('completed_at')
      .where('completed_at', 'is not', null)
      .where('agent_type', '=', agentType)
      .where('status', '=', 'completed')
      .orderBy('completed_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.completed_at ?? undefined;
  }

  #where<O>(query: Query<O>, conditions: TaskConditions): Query<O> {
    const { engine } = this.#database;
    const { ownerId, status, priority, source, agent, labels = [], repository, cwd, q } = conditions;
    let found = query;
    // The index of directories holds the owner as well: the plus keeps that of owners from being used instead.
    const owner = cwd === undefined ? 'owner_id' : sql<string>`+owner_id`;
    if (ownerId !== undefined) found = found.where((is) => is(owner, '=', ownerId));
    if (cwd !== undefined) found = found.where(isInDirectory(cwd));
    if (status) found = found.where('status', 'in', status);
    if (priority) found = found.where('priority', 'in', priority);
    if (source) found = found.where('source', 'in', source);
    if (conditions.sourceId !== undefined) found = found.where('source_id', '=', conditions.sourceId);
    if (agent !== undefined)
      found = found.where((is) => is(sql<string>`coalesce(agent_type, assigned_agent)`, '=', agent));
    if (repository !== undefined) found = found.where('repository', '=', repository);
    if (conditions.createdAfter !== undefined)
      found = found.where('created_at', '>=', conditions.createdAfter);
    if (conditions.createdBefore !== undefined)
      found = found.where('created_at', '<', conditions.createdBefore);
    if (conditions.completedAfter !== undefined)
      found = found.where('completed_at', '>=', conditions.completedAfter);
    if (conditions.completedBefore !== undefined)
      found = found.where('completed_at', '<', conditions.completedBefore);
    for (const label of labels) found = found.where(asCondition(engine.hasLabel(label)));
    if (q !== undefined && q.trim() !== '') found = found.where(asCondition(engine.textMatches(q)));
    return found;
  }
}

/** One range of the index; what is in it begins like the directory, such as `/shop-old` beside `/shop`. */
function isInDirectory(cwd: string) {
  const path = trimSlashes(cwd);
  const [inside, after] = [`${path}/`, `${path}0`];
  return sql<SqlBool>`cwd >= ${path || '/'} and cwd < ${after} and (cwd = ${path || '/'} or cwd >= ${inside})`;
}

const asCondition = (condition: unknown) => condition as ExpressionWrapper<Schema, 'tasks', SqlBool>;
