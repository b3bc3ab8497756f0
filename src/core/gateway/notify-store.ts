import type { Kysely } from 'kysely';
import type { TaskStatus } from '../../contract/task.ts';
import type { NotifyDeliveryRow } from '../storage/rows/gateway.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';

export type NewNotification = Pick<
  NotifyDeliveryRow,
  'id' | 'request_id' | 'task_id' | 'token_id' | 'url' | 'created_at'
> &
  Partial<Pick<NotifyDeliveryRow, 'config_id' | 'context_id' | 'headers' | 'protocol'>>;
/** The fields of a delivery and its body. */
export type EndedTask = Pick<
  StoredTask,
  'id' | 'title' | 'status' | 'result' | 'error' | 'completed_at' | 'updated_at'
>;
export type OpenDelivery = Pick<
  NotifyDeliveryRow,
  'id' | 'task_id' | 'url' | 'status' | 'attempts' | 'next_attempt_at'
> & { task_status: TaskStatus | null };

/** Rows of notifications to notifyUrls: `waiting` for the task to finish, `due`, then `delivered` or `failed`. */
export class NotifyStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  insert(transaction: WriteTransaction, delivery: NewNotification): void {
    transaction.insertLater('notify_deliveries', {
      config_id: null,
      context_id: null,
      headers: null,
      approval_id: null,
      protocol: null,
      ...delivery,
      status: 'waiting',
      attempts: 0,
      next_attempt_at: null,
      body: null,
      last_status: null,
      last_error: null,
      ended_at: null,
    });
  }

  find(id: string): Promise<NotifyDeliveryRow | undefined> {
    return this.#database.read
      .selectFrom('notify_deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Returns a page of deliveries in one of the open states, with the state of their task. */
  open(status: 'waiting' | 'due', after: string, limit: number): Promise<OpenDelivery[]> {
    return (
      this.#database.read
        .selectFrom('notify_deliveries as delivery')
        // A due delivery contains its text, so it is sent even if its task was deleted.
        .leftJoin('tasks', 'tasks.id', 'delivery.task_id')
        .select([
          'delivery.id',
          'delivery.task_id',
          'delivery.url',
          'delivery.status',
          'delivery.attempts',
          'delivery.next_attempt_at',
          'tasks.status as task_status',
        ])
        .where('delivery.ended_at', 'is', null)
        .where('delivery.status', '=', status)
        .where('delivery.id', '>', after)
        .orderBy('delivery.id')
        .limit(limit)
        .execute()
    );
  }

  /** The due ones of a task, to be sent. */
  dueOf(taskId: string): Promise<Omit<OpenDelivery, 'task_status'>[]> {
    return this.#database.read
      .selectFrom('notify_deliveries')
      .select(['id', 'task_id', 'url', 'status', 'attempts', 'next_attempt_at'])
      .where('task_id', '=', taskId)
      .where('status', '=', 'due')
      .where('ended_at', 'is', null)
      .orderBy('id')
      .execute();
  }

  /** Those that wait for the task, locked. */
  waitingFor(taskId: string, db: Kysely<Schema>): Promise<NotifyDeliveryRow[]> {
    const waiting = db
      .selectFrom('notify_deliveries')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('status', '=', 'waiting')
      .orderBy('id');
    return this.#database.engine.lock(waiting).execute();
  }

  findTask(taskId: string, db: Kysely<Schema>): Promise<EndedTask | undefined> {
    return db
      .selectFrom('tasks')
      .select(['id', 'title', 'status', 'result', 'error', 'completed_at', 'updated_at'])
      .where('id', '=', taskId)
      .executeTakeFirst();
  }

  /** Whether the token was not revoked; an expired token still gets its notifications. */
  async hasToken(tokenId: string): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('api_tokens')
      .innerJoin('users', 'users.id', 'api_tokens.owner_id')
      .select('api_tokens.id')
      .where('api_tokens.id', '=', tokenId)
      .where('users.disabled_at', 'is', null)
      .executeTakeFirst();
    return row !== undefined;
  }

  async update(db: Kysely<Schema>, id: string, change: Partial<NotifyDeliveryRow>): Promise<void> {
    await db
      .updateTable('notify_deliveries')
      .set(change)
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
  }
}
