import type { DeadLetter, ListDeadLettersQuery } from '../../contract/dlq.ts';
import type { FailureClass, TaskError } from '../../contract/task.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import type { DeadLetterRow } from '../storage/rows/dead-letters.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

export class DeadLetterStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds the item of a task that has used up its attempts, with its first error. */
  async insert(
    transaction: WriteTransaction,
    item: { id: string; task: TaskHead; error: TaskError; at: string },
  ): Promise<void> {
    const first = await transaction.db
      .selectFrom('task_events')
      .select('message')
      .where('task_seq', '=', item.task.seq)
      .where('type', '=', 'retry_scheduled')
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    transaction.insertLater('dead_letters', {
      id: item.id,
      task_id: item.task.id,
      owner_id: item.task.owner_id,
      title: item.task.title,
      attempts: item.task.attempts,
      class: item.error.class,
      first_error: first?.message ?? item.error.message,
      last_error: item.error.message,
      status: 'pending',
      resolution: null,
      note: null,
      created_at: item.at,
      resolved_at: null,
    });
  }

  async find(id: string, db = this.#database.read): Promise<DeadLetterRow | undefined> {
    return db.selectFrom('dead_letters').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async list({ status, limit, offset }: ListDeadLettersQuery, ownerId?: string) {
    const db = await listReader(this.#database, 'dead_letters');
    let query = db.selectFrom('dead_letters');
    if (status !== 'all') query = query.where('status', '=', status);
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    const rows = await query.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
    const counted = await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst();
    return { items: rows.map(toDeadLetter), total: counted?.n ?? 0, limit, offset };
  }

  /** Ends an item that still is pending; answers undefined when it is not. */
  async close(
    transaction: WriteTransaction,
    id: string,
    change: Pick<DeadLetterRow, 'status' | 'resolution' | 'note' | 'resolved_at'>,
  ): Promise<DeadLetter | undefined> {
    const row = await transaction.db
      .updateTable('dead_letters')
      .set(change)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .returningAll()
      .executeTakeFirst();
    return row && toDeadLetter(row);
  }

  async counts(ownerId?: string) {
    let query = this.#database.read
      .selectFrom('dead_letters')
      .select(({ fn }) => ['status', fn.countAll<number>().as('n')])
      .groupBy('status');
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    const by = Object.fromEntries((await query.execute()).map(({ status, n }) => [status, n]));
    const { pending = 0, resolved = 0, discarded = 0 } = by;
    return { pending, resolved, discarded, total: pending + resolved + discarded };
  }
}

export const toDeadLetter = (row: DeadLetterRow): DeadLetter => ({
  id: row.id,
  taskId: row.task_id,
  title: row.title,
  attempts: row.attempts,
  class: row.class as FailureClass,
  firstError: row.first_error,
  lastError: row.last_error,
  createdAt: row.created_at,
  status: row.status as DeadLetter['status'],
  ...(row.resolution !== null && { resolution: row.resolution as 'retried' | 'manual' }),
  ...(row.note !== null && { note: row.note }),
  ...(row.resolved_at !== null && { resolvedAt: row.resolved_at }),
});
