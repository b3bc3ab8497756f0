import type { PushKind, PushPayload, PushSubscription, SubscribePush } from '../../contract/push.ts';
import type { Caller } from '../auth/caller.ts';
import { hashToken } from '../auth/hash-token.ts';
import { AppError } from '../errors.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { PushSubscriptionRow } from '../storage/rows/push.ts';
import type { Runtime } from '../runtime.ts';
import { checkPushAddress } from './push-address.ts';
import type { PushDeliverer } from './push-deliverer.ts';
import type { PushRegistry } from './push-registry.ts';
import { authContext, endpointContext } from './push-secrets.ts';
import type { PushStore } from './push-store.ts';
import { topicOf } from './push-texts.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** A user with more browsers loses the oldest. */
const MAX_OF_USER = 20;
const TEST_MS = 60_000;

export interface PushServiceDeps {
  database: Database;
  store: PushStore;
  registry: PushRegistry;
  deliverer: PushDeliverer;
  outbound: Pick<Outbound, 'check'>;
  keys: KeyRing;
  vapid: VapidKeys;
  runtime: Runtime;
}

/** Lets browsers receive the notifications of their user, for as long as the session in them lasts. */
export class PushService {
  readonly #deps: PushServiceDeps;
  constructor(deps: PushServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller): Promise<{ publicKey: string; subscriptions: PushSubscription[] }> {
    const { store, vapid } = this.#deps;
    const rows = await store.of(caller.userId, this.#now());
    return {
      publicKey: vapid.publicKey,
      subscriptions: rows.map((row) => this.#toSubscription(row, caller)),
    };
  }

  async subscribe(caller: Caller, input: SubscribePush): Promise<PushSubscription> {
    const { database, store, registry, outbound, keys, runtime } = this.#deps;
    if (caller.sessionId === undefined)
      throw new AppError(
        'wrong_state',
        'Notifications end with the session of a browser, and this one has none. Sign in first: svc ui',
      );
    checkPushAddress(input);
    outbound.check(input.endpoint);
    const id = runtime.newId('psub');
    const row: PushSubscriptionRow = {
      id,
      owner_id: caller.userId,
      session_id: caller.sessionId,
      device_id: caller.deviceId ?? null,
      endpoint: keys.box.seal(input.endpoint, endpointContext(id)),
      endpoint_hash: hashToken(input.endpoint),
      p256dh: input.keys.p256dh,
      auth: keys.box.seal(input.keys.auth, authContext(id)),
      kinds: JSON.stringify(input.kinds),
      created_at: this.#now(),
      last_sent_at: null,
      last_error: null,
    };
    await database.write(async (transaction) => {
      await database.engine.lockUser(transaction.db, caller.userId);
      const former = await store.of(caller.userId, this.#now(), transaction.db);
      await store.insert(transaction, row);
      for (const each of former.slice(MAX_OF_USER - 1)) await store.remove(transaction, each.id);
      await caller.auditEntry?.append(transaction);
    });
    await registry.changed();
    return this.#toSubscription(row, caller);
  }

  async unsubscribe(caller: Caller, id: string): Promise<void> {
    const { database, store, registry } = this.#deps;
    await this.#find(caller, id);
    await database.write(async (transaction) => {
      await store.remove(transaction, id);
      await caller.auditEntry?.append(transaction);
    });
    await registry.changed();
  }

  /** Sends one message now and answers what the push service says. */
  async test(caller: Caller, id: string): Promise<{ delivered: boolean; error?: string }> {
    const { database, store, deliverer, runtime } = this.#deps;
    await this.#find(caller, id);
    const now = runtime.now();
    const payload: PushPayload = {
      kind: 'test',
      title: 'Notifications of svc arrive here',
      link: '/settings/notifications',
      tag: topicOf(`test ${id}`),
    };
    const message = {
      id: runtime.newId('push'),
      subscription_id: id,
      body: JSON.stringify(payload),
      topic: payload.tag,
      urgency: 'high',
      // Shorter than the first wait: a test is not repeated.
      expires_at: new Date(now.getTime() + TEST_MS).toISOString(),
      attempts: 0,
      next_attempt_at: new Date(now.getTime() + deliverer.handTimeMs).toISOString(),
    };
    await database.write(async (transaction) => store.addMessage(transaction, message));
    await deliverer.sendNow(message);
    const row = await store.find(id);
    if (!row) return { delivered: false, error: 'The browser does not receive notifications any more' };
    return row.last_error === null ? { delivered: true } : { delivered: false, error: row.last_error };
  }

  /** Forgets the browsers whose session is over. */
  async removeOld(): Promise<void> {
    const { database, store, registry } = this.#deps;
    const hasChanged = await database.write((transaction) => store.removeOld(transaction, this.#now()));
    if (hasChanged) await registry.changed();
  }

  /** A browser of the caller; an administrator does not manage those of others. */
  async #find(caller: Caller, id: string): Promise<PushSubscriptionRow> {
    const row = await this.#deps.store.find(id);
    if (row?.owner_id !== caller.userId) throw new AppError('not_found', 'Browser not found');
    return row;
  }

  #toSubscription(row: PushSubscriptionRow, caller: Caller): PushSubscription {
    const endpoint = this.#deps.keys.box.open(row.endpoint, endpointContext(row.id));
    return {
      id: row.id,
      current: row.session_id === caller.sessionId,
      ...(row.device_id !== null && { deviceId: row.device_id }),
      service: new URL(endpoint).host,
      kinds: JSON.parse(row.kinds) as PushKind[],
      createdAt: row.created_at,
      ...(row.last_sent_at !== null && { lastSentAt: row.last_sent_at }),
      ...(row.last_error !== null && { lastError: row.last_error }),
    };
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}
