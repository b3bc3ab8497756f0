import { sql } from 'kysely';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from '../storage/database.ts';
import { headColumns } from './task-columns.ts';
import type { StoredTask } from './task-mapping.ts';

export type ScanPosition = Pick<TaskHead, 'created_at' | 'seq'>;

/** Where a task stands among those that are due, the urgent ones first. */
export type DuePosition = Pick<TaskHead, 'priority'> & ScanPosition;

/** Walks through many tasks, a page at a time. */
export class TaskScanStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** The tasks of one state, oldest first. */
  async page(status: TaskStatus, after: ScanPosition | undefined, limit: number): Promise<TaskHead[]> {
    let query = this.#database.read
      .selectFrom('tasks')
      .select(headColumns)
      // In the text of the query: PostgreSQL has an index per state.
      .where('status', '=', sql.lit(status));
    if (after)
      query = query.where((is) =>
        is(is.refTuple('created_at', 'seq'), '>', is.tuple(after.created_at, after.seq)),
      );
    return query.orderBy('created_at').orderBy('seq').limit(limit).execute();
  }

  /** Queued tasks that have been due since before a time and are bound to no other host, the urgent ones first. */
  due(before: string, host: string, after: DuePosition | undefined, limit: number): Promise<TaskHead[]> {
    let query = this.#database.read
      .selectFrom('tasks')
      .select(headColumns)
      .where('status', '=', sql.lit('queued'))
      // `|| ''`: PostgreSQL would read all tasks that were changed before, also finished ones, and sort them.
      .where(sql<boolean>`updated_at || '' < ${before}`)
      .where((is) => is.or([is('scheduled_for', 'is', null), is('scheduled_for', '<', before)]))
      .where((is) => is.or([is('home', 'is', null), is('home', '=', host)]));
    if (after)
      query = query.where((is) =>
        is(
          is.refTuple('priority', 'created_at', 'seq'),
          '>',
          is.tuple(after.priority, after.created_at, after.seq),
        ),
      );
    return query.orderBy('priority').orderBy('created_at').orderBy('seq').limit(limit).execute();
  }

  /** Tasks by their number, of one owner or of all. */
  async slice(afterSeq: number, limit: number, ownerId: string | undefined): Promise<StoredTask[]> {
    let query = this.#database.longRead.selectFrom('tasks').selectAll().where('seq', '>', afterSeq);
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    return query.orderBy('seq').limit(limit).execute();
  }
}
