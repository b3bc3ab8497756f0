// STAND-IN: replaced by the store that the deliverer brings.
import type { DeliveredEvent } from '../../../contract/webhooks.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { WebhookDeliveryRow } from '../../storage/outside-rows.ts';

export type NewDelivery = Pick<WebhookDeliveryRow, 'id' | 'webhook_id' | 'task_id' | 'body' | 'at'> & {
  event: DeliveredEvent;
};

/** Rows of what webhooks are told. */
export class WebhookDeliveryStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  insert(transaction: WriteTransaction, delivery: NewDelivery): void {
    transaction.insertLater('webhook_deliveries', {
      ...delivery,
      status: 'pending',
      attempt: 0,
      history: '[]',
      status_code: null,
      response_body: null,
      error: null,
      duration_ms: null,
      next_attempt_at: delivery.at,
      created_at: delivery.at,
      ended_at: null,
    });
  }

  find(id: string): Promise<WebhookDeliveryRow | undefined> {
    return this.#database.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
  }

  list(
    webhookId: string,
    { limit, status }: { limit: number; status?: string | undefined },
  ): Promise<WebhookDeliveryRow[]> {
    const own = this.#database.read.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId);
    const wanted = status === undefined ? own : own.where('status', '=', status);
    return wanted.selectAll().orderBy('id', 'desc').limit(limit).execute();
  }

  async removeOf({ db }: WriteTransaction, webhookId: string): Promise<void> {
    await db.deleteFrom('webhook_deliveries').where('webhook_id', '=', webhookId).execute();
  }

  async requeue({ db }: WriteTransaction, id: string, at: string): Promise<void> {
    const change = { status: 'pending', attempt: 0, next_attempt_at: at, ended_at: null };
    await db.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute();
  }
}
