import { sql } from 'kysely';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { TaskStore } from './task-store.ts';
import { taskBelongings } from './task-ties.ts';

/** Events per transaction; a task may have very many. */
const EVENTS = 1000;

/** Removes finished tasks with everything that belongs to them. */
export class TaskRemoval {
  readonly #deps: { database: Database; store: TaskStore };
  constructor(deps: { database: Database; store: TaskStore }) {
    this.#deps = deps;
  }

  /**
   * Removes the tasks in the transaction. Idempotency keys stay, because they promise the first response for 24 hours;
   * open deliveries stay, because they contain their own text.
   */
  async remove(transaction: WriteTransaction, tasks: TaskHead[]): Promise<void> {
    if (tasks.length === 0) return;
    const ids = tasks.map(({ id }) => id);
    for (const [table, column] of taskBelongings)
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(ids)})`.execute(
        transaction.db,
      );
    await transaction.db
      .deleteFrom('notify_deliveries')
      .where('task_id', 'in', ids)
      .where('ended_at', 'is not', null)
      .execute();
    await this.#deps.store.remove(transaction, tasks);
  }

  /** Removes the events of removed tasks, including those that an earlier process left. */
  async removeLeftEvents(): Promise<void> {
    for (;;) {
      const found = await this.#deps.database.read
        .selectFrom('removed_tasks')
        .select('task_seq')
        .orderBy('task_seq')
        .limit(100)
        .execute();
      if (found.length === 0) return;
      const seqs = found.map(({ task_seq }) => task_seq);
      if ((await this.removeEvents(seqs)).hasMore) return;
      await this.#deps.database.write(({ db }) =>
        db.deleteFrom('removed_tasks').where('task_seq', 'in', seqs).execute(),
      );
    }
  }

  /** Removes all events of the tasks, in steps. */
  removeEvents(seqs: number[]): Promise<{ taken: number; hasMore: boolean }> {
    return inBatches(async (limit) => {
      const { numAffectedRows = 0n } = await this.#deps.database.write(({ db }) =>
        sql`delete from task_events where (task_seq, seq) in
          (select task_seq, seq from task_events where task_seq in (${sql.join(seqs)}) limit ${limit})`.execute(
          db,
        ),
      );
      return Number(numAffectedRows);
    }, EVENTS);
  }
}
