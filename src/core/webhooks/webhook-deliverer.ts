import type { Log } from '../log.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import { Deliverer } from '../outbound/deliverer.ts';
import type { AttemptOutcome, SendContext } from '../outbound/delivery-lanes.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { postSigned } from '../outbound/post-signed.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import type { DeliveryToSend, PendingDelivery, WebhookDeliveryStore } from './webhook-delivery-store.ts';

/** Concurrent requests to one receiver that answers. */
const PER_WEBHOOK = 8;
const PAGE = 500;

export interface WebhookDelivererDeps {
  database: Database;
  store: WebhookDeliveryStore;
  notifications: NotificationService;
  fetch: OutboundFetch;
  keys: KeyRing;
  runtime: Runtime;
  log: Log;
  /** Called after a webhook was stored as failing. */
  onFailing: (webhookId: string) => void;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** A delivery that was just stored. */
export interface StoredDelivery {
  id: string;
  webhookId: string;
  taskId: string | null;
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
}

/**
 * Sends stored webhook deliveries at least once, across restarts of the daemon. A webhook receives the events of
 * one task one at a time, in their order, and those of several tasks at the same time; a failed delivery waits for its next
 * attempt without blocking later ones.
 */
export class WebhookDeliverer {
  readonly #deps: WebhookDelivererDeps;
  readonly #deliverer: Deliverer;
  readonly #recorder: AttemptRecorder;
  #position = '';

  constructor(deps: WebhookDelivererDeps) {
    this.#deps = deps;
    this.#recorder = new AttemptRecorder(deps);
    this.#deliverer = new Deliverer({
      ...deps,
      processPage: () => this.#queuePage(),
      attempt: (id, context) => this.#attempt(id, context),
      read: async (webhookId, limit) => (await deps.store.pendingOf(webhookId, limit)).map(toDelivery),
      perLane: PER_WEBHOOK,
      now: deps.runtime.now,
    });
  }

  /** Resumes the deliveries of an earlier process in the background. */
  start(): void {
    this.#deliverer.start();
  }

  /** Aborts requests in progress; the next start sends them again. */
  stop(): Promise<void> {
    return this.#deliverer.stop();
  }

  /** Queues a delivery. Call it after the delivery was committed. */
  add({ webhookId, taskId, ...delivery }: StoredDelivery): void {
    this.#deliverer.lanes.add({ ...delivery, lane: webhookId, orderKey: taskId ?? undefined });
  }

  /**
   * Attempts a pending delivery now, regardless of the state of its webhook; resolves when the attempt is recorded, and
   * rejects if no attempt could be made.
   */
  async sendNow(id: string): Promise<void> {
    const found = await this.#deps.store.find(id);
    if (found?.status === 'pending') await this.#deliverer.sendNow(toDelivery(found));
  }

  /** Sends the pending deliveries of a reactivated webhook immediately, each with all attempts left. */
  async resume(webhookId: string): Promise<void> {
    const { database, store } = this.#deps;
    let after = '';
    do {
      const from = after;
      after = await database.write((transaction) => store.renew(transaction, webhookId, from, PAGE));
    } while (after !== '');
    this.#deliverer.lanes.reload(webhookId);
  }

  /** Queues a page of webhooks with pending deliveries; resolves to whether there are more. */
  async #queuePage(): Promise<boolean> {
    const page = await this.#deps.store.withPending(this.#position, PAGE);
    this.#position = page.length < PAGE ? '' : (page.at(-1) ?? '');
    for (const webhookId of page) this.#deliverer.lanes.loadIfEmpty(webhookId);
    return this.#position !== '';
  }

  async #attempt(id: string, { signal, isManual }: SendContext): Promise<AttemptOutcome> {
    const delivery = await this.#deps.store.findToSend(id);
    if (!delivery) return {};
    if (delivery.webhook_status !== 'active' && !isManual) return { isHeld: true };
    const { url, body, event } = delivery;
    const result = await postSigned(
      this.#deps,
      {
        id,
        url,
        body,
        ...this.#secretsOf(delivery),
        headers: { 'x-service-event': event, 'x-service-delivery': id },
      },
      signal,
    );
    const at = this.#deps.runtime.now();
    const recorded = await this.#deliverer.record(signal, (transaction) =>
      this.#recorder.record(transaction, delivery, result, at),
    );
    return { durationMs: result.durationMs, hasAnswered: result.status !== null, ...recorded };
  }

  /** Read for each attempt, so that a rotation takes effect immediately. */
  #secretsOf({ webhook_id, secret, previous_secret, previous_until }: DeliveryToSend) {
    const { keys, runtime } = this.#deps;
    const context = `webhooks:${webhook_id}`;
    const isKept = previous_until !== null && Date.parse(previous_until) > runtime.now().getTime();
    return {
      secret: keys.box.open(secret, context),
      ...(previous_secret !== null && isKept && { previousSecret: keys.box.open(previous_secret, context) }),
    };
  }
}

const toDelivery = ({ id, webhook_id, task_id, attempt, at, next_attempt_at }: PendingDelivery) => {
  const dueAt = Date.parse(next_attempt_at ?? '') || 0;
  return {
    id,
    lane: webhook_id,
    orderKey: task_id ?? undefined,
    attempts: attempt,
    dueAt,
    waitMs: attempt === 0 ? 0 : dueAt - Date.parse(at),
  };
};
