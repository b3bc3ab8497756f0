import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database, Engine } from '../storage/database.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';
import { columnOf } from './task-columns.ts';
import { allByCreation, allOf, type TaskConditions, type TaskFilter, type Walk } from './task-filters.ts';
import { isAfter, orderBy, orderRefs, sortColumns } from './task-order.ts';
import {
  during,
  inOrder,
  LONG_OFFSET,
  planTasks,
  type ReadSizes,
  readSizes,
  type TaskPlan,
  type TaskTotal,
} from './task-plan.ts';
import type { ListedRow, TaskPage } from './task-page.ts';
import { pageOfText } from './task-text-page.ts';
import { countTasks } from './task-total.ts';

/** Reads pages of tasks by key, so that the last page costs what the first one does. */
export class TaskQueryStore {
  readonly #database: Database;
  readonly #sizes: ReadSizes;
  constructor(database: Database, sizes = readSizes) {
    this.#database = database;
    this.#sizes = sizes;
  }

  /** How the tasks are found, for `page` and `count`. */
  plan(
    conditions: TaskConditions,
    page: Pick<TaskPage, 'sortBy' | 'sortOrder' | 'offset'>,
  ): Promise<TaskPlan> {
    return planTasks(this.#database, conditions, page, this.#sizes);
  }

  async page(plan: TaskPlan, page: TaskPage): Promise<ListedRow[]> {
    if (plan.by === 'nothing') return [];
    if (plan.by === 'text') {
      const read = (seqs: RawBuilder<unknown>) => this.#few(seqs, plan, page);
      const found = await pageOfText(this.#database, this.#sizes, plan, page, read);
      const walking = inOrder([plan.text, ...plan.tests], true, plan);
      return found ?? this.page({ ...walking, instead: walking }, page);
    }
    if (plan.by === 'few') return this.#few(plan.seqs, plan, page);
    if (plan.by === 'directory') {
      const where = [
        plan.directory,
        ...plan.tests.map(({ test }) => test),
        ...this.#limits(plan, allByCreation, page),
      ];
      return this.#later(plan, page, allByCreation, where);
    }
    const { walk, instead } = plan;
    if (instead) return (await this.#amongFirst(plan, page)) ?? this.page(instead, page);
    const where = [...conditionsOf(plan, page, this.#database.engine), ...this.#limits(plan, walk, page)];
    // What is skipped is skipped in the index.
    if ((page.offset ?? 0) > LONG_OFFSET) return this.#later(plan, page, walk, where);
    return this.#read(page, plan, sql`${walk.from} where ${allOf(where)}`, this.#cut(walk, page));
  }

  /** The page if the first tasks in the order of the list have it. */
  async #amongFirst(
    plan: Extract<TaskPlan, { by: 'order' }>,
    page: TaskPage,
  ): Promise<ListedRow[] | undefined> {
    const { walk } = plan;
    const engine = this.#database.engine;
    const refs = orderRefs(page.sortBy, walk);
    const limits = this.#limits(plan, walk, page);
    const all = [...conditionsOf({ ...plan, tests: [] }, page, engine), ...limits];
    const keys = refs.map((ref, index) => sql`${ref} as ${sql.ref(`k${index}`)}`);
    const { rows: edges } = await sql<
      Record<string, string | number>
    >`select ${sql.join(keys)} from ${walk.from}
      where ${allOf(all)} order by ${orderBy(refs, page.sortOrder)} limit 1 offset ${this.#sizes.ahead}`.execute(
      plan.db,
    );
    const edge = edges[0] && keys.map((_, index) => edges[0]?.[`k${index}`] ?? null);
    const before = edge ? [isAfter(refs, page.sortOrder === 'asc' ? 'desc' : 'asc', edge)] : [];
    const where = [...conditionsOf(plan, page, engine), ...limits, ...before];
    const rows = await this.#read(page, plan, sql`${walk.from} where ${allOf(where)}`, this.#cut(walk, page));
    return edge && rows.length < page.limit ? undefined : rows;
  }

  /** Finds the tasks of the page first, and then reads them. */
  #later(
    plan: Extract<TaskPlan, { tests: TaskFilter[] }>,
    page: TaskPage,
    walk: Walk,
    where: RawBuilder<SqlBool>[],
  ): Promise<ListedRow[]> {
    const found = sql`select ${walk.seq} from ${walk.from} where ${allOf(where)} ${this.#cut(walk, page)}`;
    const order = orderBy(orderRefs(page.sortBy, allByCreation), page.sortOrder);
    return this.#read(page, plan, sql`tasks where seq in (${found})`, sql`order by ${order}`);
  }

  count(plan: TaskPlan, page: Pick<TaskPage, 'sortBy'>): Promise<TaskTotal> {
    return countTasks(this.#database, plan, page, this.#sizes);
  }

  /** The page of few tasks: all are read and sorted. */
  #few(
    seqs: RawBuilder<unknown>,
    plan: Extract<TaskPlan, { tests: TaskFilter[] }>,
    page: TaskPage,
  ): Promise<ListedRow[]> {
    const { engine } = this.#database;
    const columns = sortColumns[page.sortBy];
    const refs = columns.map((column) => engine.withoutIndex(`tasks.${column}`));
    const where = [
      sql`tasks.seq in (${seqs})`,
      ...plan.tests.map(({ test }) => test),
      ...(page.sortBy === 'completedAt' ? [sql`tasks.completed_at is not null`] : []),
      ...(page.after ? [isAfter(refs, page.sortOrder, page.after)] : []),
    ];
    const cut = sql`order by ${orderBy(refs, page.sortOrder)} ${limitOf(page)}`;
    return this.#read(page, plan, sql`tasks where ${allOf(where)}`, cut);
  }

  #limits(plan: { isLong: boolean }, walk: Walk, page: TaskPage): RawBuilder<SqlBool>[] {
    return [
      ...(page.after ? [isAfter(orderRefs(page.sortBy, walk), page.sortOrder, page.after)] : []),
      ...(plan.isLong ? [this.#database.engine.inTime()] : []),
    ];
  }

  #cut(walk: Walk, page: TaskPage): RawBuilder<unknown> {
    return sql`order by ${orderBy(orderRefs(page.sortBy, walk), page.sortOrder)} ${limitOf(page)}`;
  }

  async #read(
    { fields, sortBy, hasOutcome }: TaskPage,
    { db }: Extract<TaskPlan, { tests: TaskFilter[] }>,
    from: RawBuilder<unknown>,
    cut: RawBuilder<unknown>,
  ): Promise<ListedRow[]> {
    const columns = new Set<keyof TaskRow>([
      'id',
      ...sortColumns[sortBy],
      ...fields.map((field) => columnOf[field]),
    ]);
    const selected = [
      ...[...columns].map((column) => sql.ref(`tasks.${column}`)),
      ...(hasOutcome === true ? [sql`${this.#database.engine.resultWithoutTexts()} as outcome`] : []),
    ];
    const { rows } = await sql<ListedRow>`select ${sql.join(selected)} from ${from} ${cut}`.execute(db);
    return rows;
  }
}

/** The conditions of tasks that are read in the order of the list. */
function conditionsOf(
  { walk, tests, span, numbers }: Extract<TaskPlan, { by: 'order' }>,
  { sortBy }: TaskPage,
  engine: Engine,
): RawBuilder<SqlBool>[] {
  const isByCreation = sortBy === 'createdAt';
  return [
    walk.where,
    ...tests.map(({ test, testAt, bound }) =>
      isByCreation && bound ? bound(walk.createdAt) : (testAt?.(walk) ?? test),
    ),
    // An unfinished task has no position in an order by finish time.
    ...(sortBy === 'completedAt' ? [sql<SqlBool>`tasks.completed_at is not null`] : []),
    ...(span ? [during(span, isByCreation ? walk.createdAt : engine.withoutIndex('tasks.created_at'))] : []),
    ...(numbers
      ? [sql<SqlBool>`${engine.withoutIndex('tasks.seq')} between ${numbers.least} and ${numbers.most}`]
      : []),
  ];
}

const limitOf = ({ limit, offset }: TaskPage): RawBuilder<unknown> =>
  offset === undefined ? sql`limit ${limit}` : sql`limit ${limit} offset ${offset}`;
