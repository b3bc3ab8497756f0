import { sql } from 'kysely';
import { testEvent } from '../../contract/webhooks.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { AttemptOutcome } from '../outbound/delivery-lanes.ts';
import { delayAfter } from '../outbound/delivery-schedule.ts';
import type { AttemptResult } from '../outbound/post-signed.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { WebhookRow } from '../storage/rows/webhooks.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Runtime } from '../runtime.ts';
import type {
  DeliveryChange,
  DeliveryHead,
  DeliveryToSend,
  WebhookDeliveryStore,
} from './webhook-delivery-store.ts';

/** Attempts in the history of a delivery. */
const MAX_HISTORY = 12;
const GONE = 410;

export interface AttemptRecorderDeps {
  database: Database;
  store: WebhookDeliveryStore;
  notifications: NotificationService;
  runtime: Runtime;
  onFailing: (webhookId: string) => void;
}
type Counts = { id: string; delivered: number; failed: number; arrivedAt: string | null };
type Webhook = Pick<WebhookRow, 'id' | 'status' | 'owner_id' | 'url'>;

/** Records the result of an attempt in the delivery and its webhook, and notifies the owner when the webhook fails. */
export class AttemptRecorder {
  readonly #deps: AttemptRecorderDeps;
  readonly #count;

  constructor(deps: AttemptRecorderDeps) {
    this.#deps = deps;
    this.#count = prepareQuery<Counts, Webhook>((value) =>
      deps.database.read
        .updateTable('webhooks')
        .set((is) => ({
          delivery_count: is('delivery_count', '+', value('delivered')),
          failure_count: is('failure_count', '+', value('failed')),
          last_delivery_at: sql<string>`coalesce(${value('arrivedAt')}, last_delivery_at)`,
        }))
        .where('id', '=', value('id'))
        .returning(['id', 'status', 'owner_id', 'url']),
    );
  }

  /** Records the attempt and returns what follows. The delivery may have been removed or requeued in the meantime. */
  async record(
    transaction: WriteTransaction,
    delivery: Pick<DeliveryToSend, 'id' | 'webhook_id'> & DeliveryHead,
    result: AttemptResult,
    at: Date,
  ): Promise<Pick<AttemptOutcome, 'retry' | 'isHeld'>> {
    const { id, webhook_id } = delivery;
    const { store } = this.#deps;
    let change = this.#changeBy(delivery, result, at);
    if (!(await store.update(transaction, id, delivery.attempt, change.columns))) {
      const head = await store.findHead(transaction, id);
      if (!head) return {};
      change = this.#changeBy(head, result, at);
      await store.update(transaction, id, head.attempt, change.columns);
    }
    const { retry } = change;
    const webhook = await this.#countAttempt(transaction, webhook_id, result.isDelivered, at);
    if (webhook?.status !== 'active') return { isHeld: true };
    if (retry) return { retry };
    if (result.isDelivered || delivery.event === testEvent) return {};
    await this.#giveUp(transaction, webhook, result, at);
    return { isHeld: true };
  }

  /** What the attempt changes in the row, and the next attempt, if any. */
  #changeBy(
    head: DeliveryHead,
    result: AttemptResult,
    at: Date,
  ): { columns: DeliveryChange; retry: AttemptOutcome['retry'] } {
    const attempts = head.attempt + 1;
    const isFinal = result.isDelivered || head.event === testEvent || result.status === GONE;
    const waitMs = isFinal ? undefined : delayAfter(attempts, this.#deps.runtime.random, result.retryAfterMs);
    const next = waitMs === undefined ? undefined : new Date(at.getTime() + waitMs);
    return {
      columns: {
        status: next ? 'pending' : result.isDelivered ? 'delivered' : 'failed',
        attempt: attempts,
        history: withAttempt(head, result, at),
        status_code: result.status,
        response_body: result.responseBody,
        error: result.error,
        duration_ms: result.durationMs,
        at: at.toISOString(),
        next_attempt_at: next?.toISOString() ?? null,
        ended_at: next ? null : at.toISOString(),
      },
      retry: next && { attempts, dueAt: next.getTime(), waitMs },
    };
  }

  async #countAttempt(
    { db }: WriteTransaction,
    id: string,
    isDelivered: boolean,
    at: Date,
  ): Promise<Webhook | undefined> {
    const counts = isDelivered
      ? { id, delivered: 1, failed: 0, arrivedAt: at.toISOString() }
      : { id, delivered: 0, failed: 1, arrivedAt: null };
    return (await db.executeQuery(this.#count(counts))).rows[0];
  }

  /** Marks the webhook as failing and notifies its owner once; pending deliveries wait. */
  async #giveUp(
    transaction: WriteTransaction,
    webhook: Webhook,
    { error }: AttemptResult,
    at: Date,
  ): Promise<void> {
    const { notifications, onFailing } = this.#deps;
    await transaction.db
      .updateTable('webhooks')
      .set({ status: 'failing', failing_since: at.toISOString() })
      .where('id', '=', webhook.id)
      .execute();
    const { host } = new URL(webhook.url);
    notifications.add(transaction, {
      userId: webhook.owner_id,
      type: 'webhook_failing',
      title: `Webhook to ${host} is failing`,
      message: `${host} does not accept deliveries: ${error ?? 'no answer'}. New deliveries wait until you reactivate the webhook.`,
      data: { webhookId: webhook.id },
    });
    transaction.afterCommit(() => onFailing(webhook.id));
  }
}

function withAttempt({ history }: DeliveryHead, result: AttemptResult, at: Date): string {
  const attempts = JSON.parse(history) as object[];
  attempts.push({
    at: at.toISOString(),
    ...(result.status !== null && { statusCode: result.status }),
    ...(result.error !== null && { error: result.error }),
    durationMs: result.durationMs,
  });
  return JSON.stringify(attempts.slice(-MAX_HISTORY));
}
