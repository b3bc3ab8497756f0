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

const PAGE = 500;

export interface WebhookDelivererDeps {
  database: Database;
  store: WebhookDeliveryStore;
  notifications: NotificationService;
  fetch: OutboundFetch;
  keys: KeyRing;
  runtime: Runtime;
  log: Log;
  /** Called when a webhook was given up, after it is stored. */
  onFailing: (webhookId: string) => void;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** A delivery that was stored a moment ago. */
export interface StoredDelivery {
  id: string;
  webhookId: string;
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
}

/**
 * Sends webhooks what was stored for them, at least once, however often the daemon stops meanwhile. One webhook is sent
 * one delivery at a time, in the order of the events; one that failed waits for its next attempt without holding up those
 * after it.
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
      processPage: () => this.#takeUp(),
      attempt: (id, context) => this.#attempt(id, context),
      read: async (webhookId, limit) => (await deps.store.pendingOf(webhookId, limit)).map(toDelivery),
      perLane: 1,
      now: deps.runtime.now,
    });
  }

  /** Takes up what an earlier process left; returns at once. */
  start(): void {
    this.#deliverer.start();
  }

  /** Breaks off what is being sent; it is sent again at the next start. */
  stop(): Promise<void> {
    return this.#deliverer.stop();
  }

  /** To be called once the delivery is stored durably. */
  add({ webhookId, ...delivery }: StoredDelivery): void {
    this.#deliverer.lanes.add({ ...delivery, lane: webhookId });
  }

  /**
   * Makes one attempt of a pending delivery now, whatever the state of its webhook; resolves when it is recorded, and
   * rejects where none could be made.
   */
  async sendNow(id: string): Promise<void> {
    const found = await this.#deps.store.find(id);
    if (found?.status === 'pending') await this.#deliverer.sendNow(toDelivery(found));
  }

  /** Takes up what waits for a webhook that was made active again: all of it at once, with all attempts before it. */
  async resume(webhookId: string): Promise<void> {
    const { database, store } = this.#deps;
    let after = '';
    do {
      const from = after;
      after = await database.write((transaction) => store.renew(transaction, webhookId, from, PAGE));
    } while (after !== '');
    this.#deliverer.lanes.reload(webhookId);
  }

  /** A page of the webhooks for which something is pending; answers whether there are more. */
  async #takeUp(): Promise<boolean> {
    const page = await this.#deps.store.withPending(this.#position, PAGE);
    this.#position = page.length < PAGE ? '' : (page.at(-1) ?? '');
    for (const webhookId of page) this.#deliverer.lanes.takeUp(webhookId);
    return this.#position !== '';
  }

  async #attempt(id: string, { signal, isByHand }: SendContext): Promise<AttemptOutcome> {
    const delivery = await this.#deps.store.findToSend(id);
    if (!delivery) return {};
    if (delivery.webhook_status !== 'active' && !isByHand) return { isHeld: true };
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
    return { durationMs: result.durationMs, ...recorded };
  }

  /** Read for each attempt, so that a rotation counts at once. */
  #secretsOf({ webhook_id, secret, previous_secret, previous_until }: DeliveryToSend) {
    const { keys, runtime } = this.#deps;
    const place = `webhooks:${webhook_id}`;
    const isKept = previous_until !== null && Date.parse(previous_until) > runtime.now().getTime();
    return {
      secret: keys.box.open(secret, place),
      ...(previous_secret !== null && isKept && { previousSecret: keys.box.open(previous_secret, place) }),
    };
  }
}

const toDelivery = ({ id, webhook_id, attempt, at, next_attempt_at }: PendingDelivery) => {
  const dueAt = Date.parse(next_attempt_at ?? '') || 0;
  return {
    id,
    lane: webhook_id,
    attempts: attempt,
    dueAt,
    waitMs: attempt === 0 ? 0 : dueAt - Date.parse(at),
  };
};
