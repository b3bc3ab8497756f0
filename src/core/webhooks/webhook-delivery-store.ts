import { type Kysely, sql } from 'kysely';
import type { DeliveredEvent, ListDeliveriesQuery } from '../../contract/webhooks.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../storage/rows/webhooks.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';

/** A literal, because SQLite uses the partial index on pending rows only without a parameter. */
const pending = sql.lit('pending');
/** Limits how long a removal blocks the event loop. */
const MAX_REMOVED = 2000;

export type NewDelivery = Pick<WebhookDeliveryRow, 'id' | 'webhook_id' | 'task_id' | 'body' | 'at'> &
  Partial<Pick<WebhookDeliveryRow, 'approval_id' | 'next_attempt_at'>> & { event: DeliveredEvent };
/** A delivery as it is listed. */
export type ListedDelivery = Omit<WebhookDeliveryRow, 'body'>;
/** The fields that determine when a delivery is due. */
export type PendingDelivery = Pick<
  WebhookDeliveryRow,
  'id' | 'webhook_id' | 'task_id' | 'approval_id' | 'attempt' | 'at' | 'next_attempt_at'
>;
/** A pending delivery with the URL, format, secrets and status of its webhook. */
export type DeliveryToSend = Pick<
  WebhookDeliveryRow,
  'id' | 'webhook_id' | 'event' | 'task_id' | 'body' | 'attempt' | 'history'
> &
  Pick<WebhookRow, 'url' | 'format' | 'secret' | 'previous_secret' | 'previous_until' | 'token'> & {
    webhook_status: string;
  };
/** The progress of a pending delivery. */
export type DeliveryHead = Pick<WebhookDeliveryRow, 'event' | 'attempt' | 'history'>;
/** The columns that an attempt changes. */
export type DeliveryChange = Omit<
  ListedDelivery,
  'id' | 'webhook_id' | 'event' | 'task_id' | 'approval_id' | 'created_at'
>;

const listedColumns = [
  'id',
  'webhook_id',
  'event',
  'task_id',
  'approval_id',
  'status',
  'attempt',
  'history',
  'status_code',
  'response_body',
  'error',
  'duration_ms',
  'at',
  'next_attempt_at',
  'created_at',
  'ended_at',
] as const;

/** Rows of webhook deliveries: `pending`, then `delivered` or `failed`. */
export class WebhookDeliveryStore {
  readonly #database: Database;
  readonly #db: Kysely<Schema>;
  readonly #toSend;
  readonly #pendingOf;
  readonly #head;
  readonly #update;

  constructor(database: Database) {
    this.#database = database;
    const db = (this.#db = database.read);
    this.#toSend = prepareQuery<{ id: string }, DeliveryToSend>((value) =>
      db
        .selectFrom('webhook_deliveries as delivery')
        .innerJoin('webhooks', 'webhooks.id', 'delivery.webhook_id')
        .select([
          'delivery.id',
          'delivery.webhook_id',
          'delivery.event',
          'delivery.task_id',
          'delivery.body',
          'delivery.attempt',
          'delivery.history',
          'webhooks.url',
          'webhooks.format',
          'webhooks.secret',
          'webhooks.previous_secret',
          'webhooks.previous_until',
          'webhooks.token',
          'webhooks.status as webhook_status',
        ])
        .where('delivery.id', '=', value('id'))
        .where('delivery.status', '=', pending),
    );
    this.#pendingOf = prepareQuery<{ webhookId: string; limit: number }, PendingDelivery>((value) =>
      db
        .selectFrom('webhook_deliveries')
        .select(['id', 'webhook_id', 'task_id', 'approval_id', 'attempt', 'at', 'next_attempt_at'])
        .where('webhook_id', '=', value('webhookId'))
        .where('status', '=', pending)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(value('limit')),
    );
    this.#head = prepareQuery<{ id: string }, DeliveryHead>((value) =>
      database.engine.lock(
        db
          .selectFrom('webhook_deliveries')
          .select(['event', 'attempt', 'history'])
          .where('id', '=', value('id'))
          .where('status', '=', pending),
      ),
    );
    this.#update = prepareQuery<DeliveryChange & { id: string; before: number }, { id: string }>((value) =>
      db
        .updateTable('webhook_deliveries')
        .set({
          status: value('status'),
          attempt: value('attempt'),
          history: value('history'),
          status_code: value('status_code'),
          response_body: value('response_body'),
          error: value('error'),
          duration_ms: value('duration_ms'),
          at: value('at'),
          next_attempt_at: value('next_attempt_at'),
          ended_at: value('ended_at'),
        })
        .where('id', '=', value('id'))
        .where('status', '=', pending)
        .where('attempt', '=', value('before'))
        .returning('id'),
    );
  }

  /** Adds a delivery, due immediately unless it says otherwise, at the end of the transaction. */
  insert(transaction: WriteTransaction, delivery: NewDelivery): void {
    transaction.insertLater('webhook_deliveries', {
      ...delivery,
      approval_id: delivery.approval_id ?? null,
      status: 'pending',
      attempt: 0,
      next_attempt_at: delivery.next_attempt_at ?? delivery.at,
      created_at: delivery.at,
    });
  }

  find(id: string): Promise<ListedDelivery | undefined> {
    return this.#db
      .selectFrom('webhook_deliveries')
      .select(listedColumns)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Returns a page of a webhook's deliveries, newest first, and their total. */
  async list(
    webhookId: string,
    { limit, offset, status }: ListDeliveriesQuery,
  ): Promise<{ rows: ListedDelivery[]; total: number }> {
    const db = await listReader(this.#database, 'webhook_deliveries');
    const all = db.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId);
    const query = status === undefined ? all : all.where('status', '=', status);
    const rows = await query
      .select(listedColumns)
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    const counted = await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst();
    return { rows, total: counted?.n ?? 0 };
  }

  /** Requeues a delivery with all attempts left; its history stays. */
  async requeue({ db }: WriteTransaction, id: string, dueAt: string): Promise<void> {
    await db
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', attempt: 0, next_attempt_at: dueAt, ended_at: null })
      .where('id', '=', id)
      .execute();
  }

  /** Removes the deliveries of a removed webhook; the retention removes the rest if there are many. */
  async removeOf({ db }: WriteTransaction, webhookId: string): Promise<void> {
    await db
      .deleteFrom('webhook_deliveries')
      .where('id', 'in', (is) =>
        is
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('webhook_id', '=', webhookId)
          .limit(MAX_REMOVED),
      )
      .execute();
  }

  /** Undefined if the delivery is not pending or its webhook was removed. */
  async findToSend(id: string): Promise<DeliveryToSend | undefined> {
    return (await this.#db.executeQuery(this.#toSend({ id }))).rows[0];
  }

  /** The pending deliveries of a webhook, earliest first. */
  async pendingOf(webhookId: string, limit: number): Promise<PendingDelivery[]> {
    return (await this.#db.executeQuery(this.#pendingOf({ webhookId, limit }))).rows;
  }

  /** Returns a page of active webhooks with pending deliveries. */
  async withPending(after: string, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('webhooks')
      .select('id')
      .where('id', '>', after)
      .where('status', '=', 'active')
      .where((is) =>
        is.exists(
          is
            .selectFrom('webhook_deliveries')
            .select('webhook_deliveries.id')
            .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
            .where('webhook_deliveries.status', '=', pending),
        ),
      )
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Locked for the update; undefined if the delivery is not pending. */
  async findHead({ db }: WriteTransaction, id: string): Promise<DeliveryHead | undefined> {
    return (await db.executeQuery(this.#head({ id }))).rows[0];
  }

  /** Records an attempt; false if the delivery is not pending any more, or had another number of attempts than `before`. */
  async update(
    { db }: WriteTransaction,
    id: string,
    before: number,
    change: DeliveryChange,
  ): Promise<boolean> {
    return (await db.executeQuery(this.#update({ ...change, id, before }))).rows.length > 0;
  }

  /**
   * Makes pending deliveries of a webhook that have failed before as if they were new, so that all come in the order of
   * their events again. Goes a page after `after`; answers the position after it, '' at the end.
   */
  async renew({ db }: WriteTransaction, webhookId: string, after: string, limit: number): Promise<string> {
    const page = await db
      .selectFrom('webhook_deliveries')
      .select(['id', 'attempt'])
      .where('webhook_id', '=', webhookId)
      .where('status', '=', pending)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const failed = page.filter(({ attempt }) => attempt > 0).map(({ id }) => id);
    if (failed.length > 0)
      await db
        .updateTable('webhook_deliveries')
        .set((is) => ({ attempt: 0, next_attempt_at: is.ref('created_at') }))
        .where('id', 'in', failed)
        // Its sender may have delivered it meanwhile.
        .where('status', '=', pending)
        .execute();
    return page.length < limit ? '' : (page.at(-1)?.id ?? '');
  }
}
