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
import type { DeliveryHead, DeliveryToSend, WebhookDeliveryStore } from './webhook-delivery-store.ts';

/** Attempts that a delivery remembers. */
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

/** Writes down what came of an attempt: of the delivery, of its webhook, and what its owner has to know. */
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

  /** What is to follow. The delivery may have been removed, or made anew, while it was on its way. */
  async record(
    transaction: WriteTransaction,
    { id, webhook_id }: Pick<DeliveryToSend, 'id' | 'webhook_id'>,
    result: AttemptResult,
    at: Date,
  ): Promise<Pick<AttemptOutcome, 'again' | 'isHeld'>> {
    const { store, runtime } = this.#deps;
    const head = await store.findHead(transaction, id);
    if (!head) return {};
    const attempts = head.attempt + 1;
    const isTest = head.event === testEvent;
    const isFinal = result.isDelivered || isTest || result.status === GONE;
    const waitMs = isFinal ? undefined : delayAfter(attempts, runtime.random, result.retryAfterMs);
    const next = waitMs === undefined ? undefined : new Date(at.getTime() + waitMs);
    await store.update(transaction, id, {
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
    });
    const webhook = await this.#countAttempt(transaction, webhook_id, result.isDelivered, at);
    if (webhook?.status !== 'active') return { isHeld: true };
    if (next) return { again: { attempts, dueAt: next.getTime(), waitMs } };
    if (result.isDelivered || isTest) return {};
    await this.#giveUp(transaction, webhook, result, at);
    return { isHeld: true };
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

  /** Nothing more is sent to the webhook, which its owner hears once; what is pending waits. */
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
      message: `${host} does not take deliveries: ${error ?? 'no answer'}. What comes up waits until the webhook is made active again.`,
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
