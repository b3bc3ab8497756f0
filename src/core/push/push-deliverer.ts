import type { Log } from '../log.ts';
import { Deliverer } from '../outbound/deliverer.ts';
import type { Delivery } from '../delivery.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { AttemptOutcome, SendContext } from '../outbound/delivery-lanes.ts';
import { delayAfter } from '../outbound/delivery-schedule.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { postPush, type PostPushDeps, type PushResult } from './post-push.ts';
import type { PushRegistry } from './push-registry.ts';
import { authContext, endpointContext } from './push-secrets.ts';
import type { PendingPush, PushStore, PushToSend } from './push-store.ts';

/** Concurrent requests to the push service of one browser. */
const PER_BROWSER = 4;
const PAGE = 500;

export interface PushDelivererDeps extends PostPushDeps {
  database: Database;
  store: PushStore;
  registry: Pick<PushRegistry, 'changed'>;
  keys: KeyRing;
  runtime: Runtime;
  log: Log;
  peers?: LanePeers | undefined;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/**
 * Sends stored push messages at least once until they expire, across restarts of the daemon; those about one object one at
 * a time, in their order.
 */
export class PushDeliverer {
  readonly #deps: PushDelivererDeps;
  readonly #deliverer: Deliverer;
  #position = '';

  constructor(deps: PushDelivererDeps) {
    this.#deps = deps;
    this.#deliverer = new Deliverer({
      ...deps,
      kind: 'push',
      processPage: () => this.#queuePage(),
      attempt: (id, context) => this.#attempt(id, context),
      read: async (lane, limit) => (await deps.store.pendingOf(lane, limit)).map(this.#toDelivery),
      perLane: PER_BROWSER,
      now: deps.runtime.now,
    });
  }

  /** How long a message that is sent by hand has to be stored as not due, in milliseconds. */
  get handTimeMs(): number {
    return this.#deliverer.handTimeMs;
  }

  /** Resumes the messages of an earlier process in the background. */
  start(): void {
    this.#deliverer.start();
  }

  /** Aborts requests in progress; the next start sends them again. */
  stop(): Promise<void> {
    return this.#deliverer.stop();
  }

  /** Queues a message. Call it after the message was committed. */
  add(message: PendingPush): void {
    this.#deliverer.add(this.#toDelivery(message));
  }

  /** Attempts a message now; resolves when the attempt is recorded, and rejects if none could be made. */
  sendNow(message: PendingPush): Promise<void> {
    return this.#deliverer.sendNow(this.#toDelivery(message));
  }

  async #queuePage(): Promise<boolean> {
    const page = await this.#deps.store.withPending(this.#position, PAGE);
    this.#position = page.length < PAGE ? '' : (page.at(-1) ?? '');
    for (const id of page) this.#deliverer.resume(id);
    return this.#position !== '';
  }

  async #attempt(id: string, { signal }: SendContext): Promise<AttemptOutcome> {
    const { store, keys, runtime } = this.#deps;
    const now = runtime.now();
    const message = await store.findToSend(id, now.toISOString());
    const leftMs = message ? Date.parse(message.expires_at) - now.getTime() : 0;
    if (!message || leftMs <= 0) {
      await this.#deliverer.record(signal, (transaction) => store.removeMessage(transaction, id));
      return {};
    }
    const { subscription_id, endpoint, auth } = message;
    const result = await postPush(
      this.#deps,
      {
        ...message,
        endpoint: keys.box.open(endpoint, endpointContext(subscription_id)),
        auth: keys.box.open(auth, authContext(subscription_id)),
        ttlSeconds: Math.ceil(leftMs / 1000),
      },
      signal,
    );
    const recorded = await this.#deliverer.record(signal, (transaction) =>
      this.#record(transaction, message, result, runtime.now()),
    );
    const { durationMs, hasAnswered } = result;
    return { durationMs, hasAnswered, ...recorded };
  }

  /** Records an attempt and answers what follows. */
  async #record(
    transaction: WriteTransaction,
    message: PushToSend,
    { outcome, error, retryAfterMs }: PushResult,
    at: Date,
  ): Promise<Pick<AttemptOutcome, 'retry'>> {
    const { store, registry, runtime, log } = this.#deps;
    const { id, subscription_id: subscriptionId } = message;
    if (outcome === 'gone') {
      await store.remove(transaction, subscriptionId);
      transaction.afterCommit(() => {
        registry
          .changed()
          .catch((reason: unknown) => log.warn({ err: reason }, 'browsers were not read again'));
      });
      return {};
    }
    await store.recordSent(transaction, subscriptionId, {
      last_error: error,
      ...(outcome === 'accepted' && { last_sent_at: at.toISOString() }),
    });
    const attempts = message.attempts + 1;
    const waitMs = outcome === 'failed' ? delayAfter(attempts, runtime.random, retryAfterMs) : undefined;
    const dueAt = at.getTime() + (waitMs ?? 0);
    if (waitMs === undefined || dueAt >= Date.parse(message.expires_at)) {
      await store.removeMessage(transaction, id);
      return {};
    }
    await store.postpone(transaction, id, { attempts, next_attempt_at: new Date(dueAt).toISOString() });
    return { retry: { attempts, dueAt, waitMs } };
  }

  readonly #toDelivery = ({
    id,
    subscription_id,
    topic,
    attempts,
    next_attempt_at,
  }: PendingPush): Delivery => ({
    id,
    lane: subscription_id,
    orderKey: topic,
    attempts,
    dueAt: Date.parse(next_attempt_at),
    waitMs: attempts === 0 ? this.handTimeMs : undefined,
  });
}
