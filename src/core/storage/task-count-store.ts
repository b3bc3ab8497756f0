import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from './database.ts';
import type { TaskCountRow, TaskDayRow } from './rows/tasks.ts';

export type CountCell = Omit<TaskCountRow, 'owner_id' | 'status'> & { status: TaskStatus };

/** Reads the counters that every write of a task updates, without reading the tasks. */
export class TaskCountStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** All counters of one owner, or of all users. */
  async cells(ownerId?: string): Promise<CountCell[]> {
    const all = this.#database.read.selectFrom('task_counts').selectAll();
    const query = ownerId === undefined ? all : all.where('owner_id', '=', ownerId);
    return (await query.where('n', '>', 0).execute()) as CountCell[];
  }

  /** Tasks created, completed and failed per day since a date (YYYY-MM-DD), summed over owners. */
  async days(since: string, ownerId?: string): Promise<Omit<TaskDayRow, 'owner_id'>[]> {
    let query = this.#database.read
      .selectFrom('task_days')
      .select(({ fn }) => [
        'day',
        fn.sum<number>('created').as('created'),
        fn.sum<number>('completed').as('completed'),
        fn.sum<number>('failed').as('failed'),
      ])
      .where('day', '>=', since)
      .groupBy('day')
      .orderBy('day');
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    return query.execute();
  }
}

/** Sums the counters by one dimension. */
export function sumBy(
  cells: CountCell[],
  keyOf: (cell: CountCell) => string | number,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const cell of cells) sums[keyOf(cell)] = (sums[keyOf(cell)] ?? 0) + cell.n;
  return sums;
}

/** The counts for the health report and the queue status. */
export function queueCounts(cells: CountCell[]) {
  const by = sumBy(cells, (cell) => cell.status);
  return {
    pending: by['pending'] ?? 0,
    queued: by['queued'] ?? 0,
    inProgress: by['in_progress'] ?? 0,
    completed: by['completed'] ?? 0,
    failed: by['failed'] ?? 0,
  };
}
