import type { ListNotificationsQuery, Notification } from '../../contract/notifications.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import type { NotificationRow } from '../storage/rows/notifications.ts';
import type { Runtime } from '../runtime.ts';

export type NewNotification = Pick<Notification, 'type' | 'title' | 'message' | 'data'> & {
  userId: string;
  taskId?: string;
};

/** In-app notifications of users. */
export interface NotificationDeps {
  database: Database;
  bus: EventBus;
  runtime: Runtime;
}

export class NotificationService {
  readonly #database: Database;
  readonly #bus: EventBus;
  readonly #runtime: Runtime;

  constructor(deps: NotificationDeps) {
    this.#database = deps.database;
    this.#bus = deps.bus;
    this.#runtime = deps.runtime;
  }

  /** Stores the notification in the transaction of the change that it reports. */
  add(transaction: WriteTransaction, notification: NewNotification): void {
    const row: NotificationRow = {
      id: this.#runtime.newId('ntf'),
      owner_id: notification.userId,
      type: notification.type,
      title: notification.title,
      message: notification.message,
      task_id: notification.taskId ?? null,
      data: JSON.stringify(notification.data),
      created_at: this.#runtime.now().toISOString(),
      read_at: null,
    };
    transaction.insertLater('notifications', row);
    transaction.afterCommit(() =>
      this.#bus.emit('notification', { userId: row.owner_id, notification: toNotification(row) }),
    );
  }

  async list(caller: Caller, { unread, limit, offset }: ListNotificationsQuery) {
    const db = await listReader(this.#database, 'notifications');
    const own = db.selectFrom('notifications').where('owner_id', '=', caller.userId);
    const wanted = unread === true ? own.where('read_at', 'is', null) : own;
    const count = async (query: typeof own) =>
      (await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst())?.n ?? 0;
    const rows = await wanted.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
    return {
      notifications: rows.map(toNotification),
      total: await count(wanted),
      unread: await count(own.where('read_at', 'is', null)),
      limit,
      offset,
    };
  }

  /** The newest unread notifications without those of some types, with how many there are. */
  async unread(
    caller: Caller,
    { except, limit }: { except: readonly Notification['type'][]; limit: number },
  ) {
    const all = this.#database.read
      .selectFrom('notifications')
      .where('owner_id', '=', caller.userId)
      .where('read_at', 'is', null);
    const counts = await all
      .select((is) => ['type', is.fn.countAll<number>().as('n')])
      .groupBy('type')
      .execute();
    const rows = await all
      .selectAll()
      .where('type', 'not in', except)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    const sum = (some: typeof counts) => some.reduce((total, { n }) => total + n, 0);
    return {
      notifications: rows.map(toNotification),
      total: sum(counts.filter(({ type }) => !except.includes(type as Notification['type']))),
      unread: sum(counts),
    };
  }

  markRead(caller: Caller, id: string): Promise<Notification> {
    return this.#mark(caller, id, (readAt) => readAt ?? this.#runtime.now().toISOString());
  }

  markUnread(caller: Caller, id: string): Promise<Notification> {
    return this.#mark(caller, id, () => null);
  }

  /** Marks those of the caller that were there at a moment; returns how many. */
  async markAllRead(caller: Caller, until: string | undefined): Promise<number> {
    return this.#database.write(async ({ db }) => {
      const unread = db
        .updateTable('notifications')
        .set({ read_at: this.#runtime.now().toISOString() })
        .where('owner_id', '=', caller.userId)
        .where('read_at', 'is', null);
      const marked = await (
        until === undefined ? unread : unread.where('created_at', '<=', until)
      ).executeTakeFirst();
      return Number(marked.numUpdatedRows);
    });
  }

  async #mark(
    caller: Caller,
    id: string,
    change: (readAt: string | null) => string | null,
  ): Promise<Notification> {
    return this.#database.write(async ({ db }) => {
      const found = await this.#database.engine
        .lock(db.selectFrom('notifications').selectAll().where('id', '=', id))
        .executeTakeFirst();
      const row = requireOwned(caller, found, 'Notification');
      const read_at = change(row.read_at);
      await db.updateTable('notifications').set({ read_at }).where('id', '=', id).execute();
      return toNotification({ ...row, read_at });
    });
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.#database.write(async ({ db }) => {
      const found = await db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst();
      requireOwned(caller, found, 'Notification');
      await db.deleteFrom('notifications').where('id', '=', id).execute();
    });
  }
}

const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  type: row.type as Notification['type'],
  title: row.title,
  message: row.message,
  ...(row.task_id !== null && { taskId: row.task_id }),
  data: JSON.parse(row.data) as Notification['data'],
  createdAt: row.created_at,
  ...(row.read_at !== null && { readAt: row.read_at }),
});
