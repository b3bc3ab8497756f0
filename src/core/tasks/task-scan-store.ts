import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { headColumns, type TaskHead } from './task-columns.ts';

/**
 * Finds the tasks that something has to be done about, a page at a time. The states are literals, because the index of
 * unfinished tasks only serves a query that names them.
 */
export class TaskScanStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** Queued tasks in the order in which they run, after the one given. */
  queued(after: Pick<TaskHead, 'priority' | 'seq'> | undefined, limit: number): Promise<TaskHead[]> {
    let query = this.#heads().where('status', '=', sql.lit('queued' as const));
    if (after)
      query = query.where((is) =>
        is(is.refTuple('priority', 'seq'), '>', is.tuple(after.priority, after.seq)),
      );
    return query.orderBy('priority').orderBy('seq').limit(limit).execute();
  }

  /** Tasks that wait for an agent, oldest first, after the one given. */
  waiting(afterSeq: number, limit: number): Promise<TaskHead[]> {
    return this.#heads()
      .where('status', '=', sql.lit('pending' as const))
      .where('held', '=', 0)
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  running(afterSeq: number, limit: number): Promise<TaskHead[]> {
    return this.#heads()
      .where('status', '=', sql.lit('in_progress' as const))
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  /** Queued tasks that have been due since `before`, so that their wake-up must have been lost. */
  overdue(before: string, limit: number): Promise<TaskHead[]> {
    return this.#heads()
      .where('status', '=', sql.lit('queued' as const))
      .where('updated_at', '<', before)
      .where((is) => is.or([is('scheduled_for', 'is', null), is('scheduled_for', '<', before)]))
      .orderBy('priority')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  #heads() {
    return this.#database.read.selectFrom('tasks').select(headColumns);
  }
}
