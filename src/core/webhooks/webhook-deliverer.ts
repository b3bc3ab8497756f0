import type { Log } from '../log.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import { Deliverer } from '../outbound/deliverer.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { Delivery } from '../delivery.ts';
import type { AttemptOutcome, SendContext } from '../outbound/delivery-lanes.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { type AttemptResult, postSigned } from '../outbound/post-signed.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { traceDelivery } from '../telemetry/trace-delivery.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { describeDelivery } from './describe-delivery.ts';
import { OpenedSecrets } from './opened-secrets.ts';
import { textHeaders } from './text-headers.ts';
import type { DeliveryToSend, PendingDelivery, WebhookDeliveryStore } from './webhook-delivery-store.ts';
import { secretContext, tokenContext } from './webhook-secret.ts';

/** Concurrent requests to one receiver that answers. */
const PER_WEBHOOK = 8;
const PAGE = 500;

export interface WebhookDelivererDeps {
  database: Database;
  store: WebhookDeliveryStore;
  notifications: NotificationService;
  fetch: OutboundFetch;
  keys: KeyRing;
  /** The home directory of the person who runs the daemon. */
  home: string | undefined;
  /** The public URL of the daemon, for links. */
  baseUrl: () => string | undefined;
  telemetry?: Telemetry | undefined;
  runtime: Runtime;
  log: Log;
  peers?: LanePeers | undefined;
  /** Called after a webhook was stored as failing. */
  onFailing: (webhookId: string) => void;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** A delivery that was just stored. */
export interface StoredDelivery {
  id: string;
  webhookId: string;
  taskId: string | null;
  approvalId?: string | null;
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
}

/**
 * Sends stored webhook deliveries at least once, across restarts of the daemon. A webhook receives the events of
 * one task or approval one at a time, in their order, and those of several at the same time; a failed delivery waits for its next
 * attempt without blocking later ones.
 */
export class WebhookDeliverer {
  readonly #deps: WebhookDelivererDeps;
  readonly #deliverer: Deliverer;
  readonly #recorder: AttemptRecorder;
  readonly #secrets: OpenedSecrets;
  #position = '';

  constructor(deps: WebhookDelivererDeps) {
    this.#deps = deps;
    this.#recorder = new AttemptRecorder(deps);
    this.#secrets = new OpenedSecrets(deps.keys.box);
    this.#deliverer = new Deliverer({
      ...deps,
      kind: 'webhooks',
      processPage: () => this.#queuePage(),
      attempt: (id, context) => this.#attempt(id, context),
      read: async (webhookId, limit) => (await deps.store.pendingOf(webhookId, limit)).map(this.#toDelivery),
      perLane: PER_WEBHOOK,
      now: deps.runtime.now,
    });
  }

  /** How long a delivery that is sent by hand has to be stored as not due, in milliseconds. */
  get handTimeMs(): number {
    return this.#deliverer.handTimeMs;
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
  add({ webhookId, taskId, approvalId, ...delivery }: StoredDelivery): void {
    const orderKey = taskId ?? approvalId ?? undefined;
    this.#deliverer.add({ ...delivery, lane: webhookId, orderKey });
  }

  /**
   * Attempts a pending delivery now, regardless of the state of its webhook; resolves when the attempt is recorded, and
   * rejects if no attempt could be made.
   */
  async sendNow(id: string): Promise<void> {
    const found = await this.#deps.store.find(id);
    if (found?.status === 'pending') await this.#deliverer.sendNow(this.#toDelivery(found));
  }

  /** Sends the pending deliveries of a reactivated webhook immediately, each with all attempts left. */
  async resume(webhookId: string): Promise<void> {
    const { database, store } = this.#deps;
    let after = '';
    do {
      const from = after;
      after = await database.write((transaction) => store.renew(transaction, webhookId, from, PAGE));
    } while (after !== '');
    this.#deliverer.reload(webhookId);
  }

  /** Queues a page of webhooks with pending deliveries; resolves to whether there are more. */
  async #queuePage(): Promise<boolean> {
    const page = await this.#deps.store.withPending(this.#position, PAGE);
    this.#position = page.length < PAGE ? '' : (page.at(-1) ?? '');
    for (const webhookId of page) this.#deliverer.resume(webhookId);
    return this.#position !== '';
  }

  async #attempt(id: string, { signal, isManual }: SendContext): Promise<AttemptOutcome> {
    const delivery = await this.#deps.store.findToSend(id);
    if (!delivery) return {};
    if (delivery.webhook_status !== 'active' && !isManual) return { isHeld: true };
    const { url, event } = delivery;
    const token = this.#tokenOf(delivery);
    const { body, headers } = this.#contentOf(delivery);
    const post = { id, url, body, ...this.#secretsOf(delivery) };
    const ownHeaders = {
      'x-service-event': event,
      'x-service-delivery': id,
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const traced = { name: `webhook ${event}`, taskId: delivery.task_id, attempt: delivery.attempt };
    const sent = await traceDelivery(this.#deps.telemetry, traced, (trace) =>
      postSigned(this.#deps, { ...post, headers: { ...ownHeaders, ...trace } }, signal),
    );
    const result = withoutToken(sent, token);
    const at = this.#deps.runtime.now();
    const recorded = await this.#deliverer.record(signal, (transaction) =>
      this.#recorder.record(transaction, delivery, result, at),
    );
    return { durationMs: result.durationMs, hasAnswered: result.status !== null, ...recorded };
  }

  #contentOf({ format, body }: DeliveryToSend): { body: string; headers?: Record<string, string> } {
    if (format !== 'text') return { body };
    const { home, baseUrl } = this.#deps;
    const message = describeDelivery(body, { home, baseUrl: baseUrl() });
    return { body: message.text, headers: textHeaders(message) };
  }

  #tokenOf({ webhook_id, token }: DeliveryToSend): string | undefined {
    return token === null ? undefined : this.#secrets.open(token, tokenContext(webhook_id));
  }

  /** Read for each attempt, so that a rotation takes effect immediately. */
  #secretsOf({ webhook_id, secret, previous_secret, previous_until }: DeliveryToSend) {
    const { runtime } = this.#deps;
    const context = secretContext(webhook_id);
    const isKept = previous_until !== null && Date.parse(previous_until) > runtime.now().getTime();
    return {
      secret: this.#secrets.open(secret, context),
      ...(previous_secret !== null &&
        isKept && { previousSecret: this.#secrets.open(previous_secret, context) }),
    };
  }

  readonly #toDelivery = ({
    id,
    webhook_id,
    task_id,
    approval_id,
    attempt,
    at,
    next_attempt_at,
  }: PendingDelivery): Delivery => {
    const dueAt = Date.parse(next_attempt_at ?? '') || 0;
    return {
      id,
      lane: webhook_id,
      orderKey: task_id ?? approval_id ?? undefined,
      attempts: attempt,
      dueAt,
      waitMs: attempt === 0 ? this.handTimeMs : dueAt - Date.parse(at),
    };
  };
}

/** A receiver may return the headers that it got. */
const withoutToken = (result: AttemptResult, token: string | undefined): AttemptResult =>
  token === undefined || result.responseBody === null
    ? result
    : { ...result, responseBody: result.responseBody.replaceAll(token, '••••') };
