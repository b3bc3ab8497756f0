import type { Kysely } from 'kysely';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { PushMessageRow, PushSubscriptionRow } from '../storage/rows/push.ts';
import type { Schema } from '../storage/schema.ts';

export interface PushToSend extends PushMessageRow {
  endpoint: string;
  p256dh: string;
  auth: string;
}
export type PendingPush = Pick<
  PushMessageRow,
  'id' | 'subscription_id' | 'topic' | 'attempts' | 'next_attempt_at'
>;

/** Rows of browsers that receive notifications, and of the notifications on their way. */
export class PushStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** Those that may receive something: their session lasts and their user is let in. */
  active(now: string): Promise<PushSubscriptionRow[]> {
    return active(this.#database.read, now).selectAll('push_subscriptions').execute();
  }

  /** Those of a user, newest first. */
  of(userId: string, now: string, db: Kysely<Schema> = this.#database.read): Promise<PushSubscriptionRow[]> {
    return active(db, now)
      .selectAll('push_subscriptions')
      .where('push_subscriptions.owner_id', '=', userId)
      .orderBy('push_subscriptions.id', 'desc')
      .execute();
  }

  find(id: string): Promise<PushSubscriptionRow | undefined> {
    return this.#database.read
      .selectFrom('push_subscriptions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Replaces what the session had before, and takes the address from whoever used this browser earlier. */
  async insert({ db }: WriteTransaction, row: PushSubscriptionRow): Promise<void> {
    const former = await db
      .selectFrom('push_subscriptions')
      .select('id')
      .where((eb) =>
        eb.or([eb('session_id', '=', row.session_id), eb('endpoint_hash', '=', row.endpoint_hash)]),
      )
      .execute();
    for (const { id } of former) await remove(db, id);
    await db.insertInto('push_subscriptions').values(row).execute();
  }

  remove({ db }: WriteTransaction, id: string): Promise<void> {
    return remove(db, id);
  }

  /** Removes the browsers whose session is over, and messages that are too old; resolves to whether there were browsers. */
  async removeOld({ db }: WriteTransaction, now: string): Promise<boolean> {
    const kept = active(db, now).select('push_subscriptions.id');
    const { numDeletedRows } = await db
      .deleteFrom('push_subscriptions')
      .where('id', 'not in', kept)
      .executeTakeFirst();
    await db
      .deleteFrom('push_messages')
      .where((eb) =>
        eb.or([
          eb('expires_at', '<=', now),
          eb('subscription_id', 'not in', db.selectFrom('push_subscriptions').select('id')),
        ]),
      )
      .execute();
    return numDeletedRows > 0n;
  }

  addMessage(transaction: WriteTransaction, row: PushMessageRow): void {
    transaction.insertLater('push_messages', row);
  }

  /** Removes what was not sent yet about an object, because newer is said of it. */
  async removeTopic({ db }: WriteTransaction, topic: string): Promise<void> {
    await db.deleteFrom('push_messages').where('topic', '=', topic).execute();
  }

  async removeMessage({ db }: WriteTransaction, id: string): Promise<void> {
    await db.deleteFrom('push_messages').where('id', '=', id).execute();
  }

  async postpone(
    { db }: WriteTransaction,
    id: string,
    change: Pick<PushMessageRow, 'attempts' | 'next_attempt_at'>,
  ): Promise<void> {
    await db.updateTable('push_messages').set(change).where('id', '=', id).execute();
  }

  async recordSent(
    { db }: WriteTransaction,
    id: string,
    change: Pick<PushSubscriptionRow, 'last_error'> & Partial<Pick<PushSubscriptionRow, 'last_sent_at'>>,
  ): Promise<void> {
    await db.updateTable('push_subscriptions').set(change).where('id', '=', id).execute();
  }

  /** The message with the address of its browser; undefined where the session of that is over. */
  findToSend(id: string, now: string): Promise<PushToSend | undefined> {
    return active(this.#database.read, now)
      .innerJoin('push_messages', 'push_messages.subscription_id', 'push_subscriptions.id')
      .selectAll('push_messages')
      .select(['endpoint', 'p256dh', 'auth'])
      .where('push_messages.id', '=', id)
      .executeTakeFirst();
  }

  /** The IDs of browsers with pending messages, after one of them. */
  async withPending(after: string, limit: number): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('push_messages')
      .select('subscription_id')
      .distinct()
      .where('subscription_id', '>', after)
      .orderBy('subscription_id')
      .limit(limit)
      .execute();
    return rows.map(({ subscription_id }) => subscription_id);
  }

  /** The pending messages of a browser, earliest first. */
  pendingOf(subscriptionId: string, limit: number): Promise<PendingPush[]> {
    return this.#database.read
      .selectFrom('push_messages')
      .select(['id', 'subscription_id', 'topic', 'attempts', 'next_attempt_at'])
      .where('subscription_id', '=', subscriptionId)
      .orderBy('next_attempt_at')
      .orderBy('id')
      .limit(limit)
      .execute();
  }
}

const active = (db: Kysely<Schema>, now: string) =>
  db
    .selectFrom('push_subscriptions')
    .innerJoin('sessions', 'sessions.id', 'push_subscriptions.session_id')
    .innerJoin('users', 'users.id', 'push_subscriptions.owner_id')
    .where('users.disabled_at', 'is', null)
    .where((eb) => eb.or([eb('sessions.expires_at', 'is', null), eb('sessions.expires_at', '>', now)]));

async function remove(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('push_messages').where('subscription_id', '=', id).execute();
  await db.deleteFrom('push_subscriptions').where('id', '=', id).execute();
}
