import {
  type ListedField,
  type ListedTask,
  sparseTaskFields,
  type TaskField,
  taskFields,
} from '../../contract/task.ts';
import type { FilterTasksQuery, ListTasksQuery } from '../../contract/tasks.ts';
import { type Caller, visibleOwner } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { CursorCodec } from './cursor.ts';
import { ReadTimeLimit } from '../storage/read-time-limit.ts';
import type { TaskCountStore } from '../storage/task-count-store.ts';
import type { RunProgressReports } from './run-progress.ts';
import type { FieldColumn } from './task-columns.ts';
import { listedFields, toListedTask, toOutcome } from './task-mapping.ts';
import { sortColumns } from './task-order.ts';
import type { TaskConditions } from './task-filters.ts';
import type { ListedRow, TaskPage } from './task-page.ts';
import type { TaskQueryStore } from './task-query-store.ts';
import { isInCounters, totalOf } from './total-of-counters.ts';
import type { TaskTotal } from './task-plan.ts';

type PageQuery = Pick<FilterTasksQuery, 'limit' | 'offset' | 'cursor' | 'fields' | 'full'>;
type Order = Pick<FilterTasksQuery, 'sortBy' | 'sortOrder'>;

export interface TaskListDeps {
  database: Database;
  query: TaskQueryStore;
  counts: TaskCountStore;
  cursors: CursorCodec;
  runProgress: Pick<RunProgressReports, 'of'>;
}

/** Lists tasks a page at a time. */
export class TaskListService {
  readonly #deps: TaskListDeps;
  constructor(deps: TaskListDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, { status, ...page }: ListTasksQuery) {
    const conditions = { ownerId: visibleOwner(caller), ...(status && { status: [status] }) };
    const result = await this.#page(conditions, page, { sortBy: 'createdAt', sortOrder: 'desc' });
    return { ...result, count: result.tasks.length };
  }

  async filter(caller: Caller, query: FilterTasksQuery) {
    const { limit, offset, cursor, fields, full, sortBy, sortOrder, ...conditions } = query;
    if (conditions.q !== undefined) await this.#deps.database.engine.refreshTextIndex();
    const page = { limit, offset, cursor, fields, full };
    const result = await this.#page({ ...conditions, ownerId: visibleOwner(caller) }, page, {
      sortBy,
      sortOrder,
    });
    return { ...result, offset: offset ?? 0 };
  }

  async #page(conditions: TaskConditions, page: PageQuery, order: Order) {
    const { query, cursors } = this.#deps;
    const { limit, offset, cursor } = page;
    if (cursor !== undefined && offset !== undefined)
      throw new AppError('validation', 'Validation failed', {
        details: [{ path: 'offset', message: 'Give a cursor or an offset, not both' }],
      });
    const sorted = sortColumns[order.sortBy];
    const listed = fieldsOf(page);
    const fields = listed.filter(isStored);
    const scope = [conditions, order];
    const wanted: TaskPage = {
      ...order,
      fields,
      hasOutcome: listed.includes('outcome'),
      limit: limit + 1,
      offset,
      after: cursor === undefined ? undefined : cursors.decode(cursor, scope, sorted.length),
    };
    const plan = await query.plan(conditions, wanted);
    const [rows, counted] = await Promise.all([
      query.page(plan, wanted).catch(nameFilters(conditions)),
      this.#total(conditions, order, () => query.count(plan, order)),
    ]);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const shown = listedFields(['id', ...fields.filter((field) => field !== 'id')]);
    return {
      tasks: rows.slice(0, limit).map((row) => this.#toListed(row, shown, listed)),
      ...toTotal(counted, (offset ?? 0) + rows.length),
      limit,
      ...(last && {
        nextCursor: cursors.encode(
          sorted.map((column) => last[column] ?? null),
          scope,
        ),
      }),
    };
  }

  #toListed(row: ListedRow, shown: readonly FieldColumn[], listed: readonly ListedField[]): ListedTask {
    const task: ListedTask = toListedTask(row, shown);
    const progress = listed.includes('progress') ? this.#deps.runProgress.of(task.id) : undefined;
    const { outcome } = row;
    return {
      ...task,
      ...(progress && { progress }),
      ...(outcome !== undefined && outcome !== null && { outcome: toOutcome(outcome) }),
    };
  }

  /** From the counters where they can answer, because counting a million rows takes half a second. */
  async #total(
    conditions: TaskConditions,
    order: Order,
    count: () => Promise<TaskTotal>,
  ): Promise<TaskTotal> {
    if (order.sortBy === 'completedAt' || !isInCounters(conditions)) return count();
    return totalOf(await this.#deps.counts.cells(conditions.ownerId), conditions) ?? count();
  }
}

/** A bound that is below what the page shows says less than the page. */
const toTotal = ({ total, isLowerBound }: TaskTotal, shown: number) =>
  isLowerBound ? { total: Math.max(total, shown), totalIsLowerBound: true as const } : { total };

/** Names the filters in the error of a list that takes too long. */
const nameFilters = (conditions: TaskConditions) => (error: unknown) => {
  if (!(error instanceof ReadTimeLimit)) throw error;
  const names = Object.entries(conditions)
    .filter(([name, value]) => value !== undefined && name !== 'ownerId')
    .map(([name]) => `\`${name}\``);
  throw new ReadTimeLimit(error.limitMs, `A list by ${names.join(' and ')}`);
};

function fieldsOf({ fields, full }: PageQuery): readonly ListedField[] {
  if (full === true) return [...taskFields, 'progress'];
  return fields && fields.length > 0 ? fields : [...sparseTaskFields, 'progress'];
}

const isStored = (field: ListedField): field is TaskField => field !== 'progress' && field !== 'outcome';
