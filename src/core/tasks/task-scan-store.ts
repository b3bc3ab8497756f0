import type { TaskHead } from '../storage/rows/tasks.ts';
import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from '../storage/database.ts';
import { headColumns } from './task-columns.ts';

export type ScanPosition = Pick<TaskHead, 'created_at' | 'seq'>;

/** Walks through the tasks of one state, oldest first, a page at a time. */
export class TaskScanStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async page(status: TaskStatus, after: ScanPosition | undefined, limit: number): Promise<TaskHead[]> {
    let query = this.#database.read.selectFrom('tasks').select(headColumns).where('status', '=', status);
    if (after)
      query = query.where((is) =>
        is(is.refTuple('created_at', 'seq'), '>', is.tuple(after.created_at, after.seq)),
      );
    return query.orderBy('created_at').orderBy('seq').limit(limit).execute();
  }
}
