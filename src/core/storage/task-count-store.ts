import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from './database.ts';
import type { TaskCountRow, TaskDayRow } from './rows/tasks.ts';

export type CountCell = Omit<TaskCountRow, 'owner_id' | 'status'> & { status: TaskStatus };

/** Reads the counts that every write of a task keeps; no question here looks at the tasks themselves. */
export class TaskCountStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** All cells of one owner, or of everybody. */
  async cells(ownerId?: string): Promise<CountCell[]> {
    const all = this.#database.read.selectFrom('task_counts').selectAll();
    const query = ownerId === undefined ? all : all.where('owner_id', '=', ownerId);
    return (await query.where('n', '>', 0).execute()) as CountCell[];
  }

  /** Created, completed and failed per day since `day` (YYYY-MM-DD), the owners summed. */
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

/** Adds up the cells by one of their dimensions. */
export function sumBy(
  cells: CountCell[],
  keyOf: (cell: CountCell) => string | number,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const cell of cells) sums[keyOf(cell)] = (sums[keyOf(cell)] ?? 0) + cell.n;
  return sums;
}

/** The counts as health and the queue's status show them. */
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
