import {
  type UpdateWebhook,
  type CreateWebhook,
  type ListDeliveriesQuery,
  type RotateSecret,
  testEvent,
  type Webhook,
  type WebhookDelivery,
} from '../../contract/webhooks.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, isAdmin, requireOwned, visibleOwner } from '../auth/caller.ts';
import { maskKey } from '../text/safe-text.ts';
import { AppError, messageOf } from '../errors.ts';
import { type PerUserLimit, requireRoom } from '../limits/per-user-limit.ts';
import type { EventBus } from '../events.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { WebhookRow } from '../storage/rows/webhooks.ts';
import type { Runtime } from '../runtime.ts';
import { deliveryBody } from './event-payloads.ts';
import type { WebhookBacklogs } from './webhook-backlogs.ts';
import type { WebhookDeliverer } from './webhook-deliverer.ts';
import type { WebhookDeliveryStore } from './webhook-delivery-store.ts';
import { toDelivery, toWebhook } from './webhook-mapping.ts';
import type { WebhookRegistry } from './webhook-registry.ts';
import { newWebhookSecret, secretContext, tokenContext } from './webhook-secret.ts';
import type { WebhookStore } from './webhook-store.ts';

const perUser: PerUserLimit = {
  table: 'webhooks',
  max: 100,
  noun: 'webhooks',
  remedy: 'Remove one first: svc webhooks ls',
};
const HOUR_MS = 3_600_000;

export interface WebhookServiceDeps {
  database: Database;
  store: WebhookStore;
  deliveries: WebhookDeliveryStore;
  registry: WebhookRegistry;
  backlogs: WebhookBacklogs;
  deliverer: Pick<WebhookDeliverer, 'resume' | 'sendNow' | 'handTimeMs'>;
  outbound: Pick<Outbound, 'check'>;
  keys: KeyRing;
  audit: AuditLog;
  runtime: Runtime;
  bus: EventBus;
}

/** Manages outbound webhooks on behalf of a caller. */
export class WebhookService {
  readonly #deps: WebhookServiceDeps;
  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller): Promise<Webhook[]> {
    const rows = await this.#deps.store.list(visibleOwner(caller));
    return rows.filter((row) => !isHiddenFrom(caller, row)).map((row) => this.#describe(row));
  }

  async get(caller: Caller, id: string): Promise<Webhook> {
    return this.#describe(requireVisible(caller, await this.#deps.store.find(id)));
  }

  /** Returns the full secret if it was generated here. */
  async create(caller: Caller, input: CreateWebhook): Promise<Webhook> {
    const { database, store, runtime } = this.#deps;
    this.#checkUrl(input.url);
    const id = runtime.newId('wh');
    const secret = input.secret ?? newWebhookSecret(runtime);
    const row: WebhookRow = {
      id,
      owner_id: caller.userId,
      sees_all: isAdmin(caller) ? 1 : 0,
      url: input.url,
      events: JSON.stringify(input.events),
      format: input.format,
      status: 'active',
      secret: this.#seal(id, secret),
      previous_secret: null,
      previous_until: null,
      token: input.token === undefined ? null : this.#sealToken(id, input.token),
      description: input.description ?? null,
      delivery_count: 0,
      failure_count: 0,
      last_delivery_at: null,
      failing_since: null,
      created_at: runtime.now().toISOString(),
    };
    await database.write(async (transaction) => {
      await requireRoom(database.engine, transaction.db, perUser, caller.userId);
      await store.insert(transaction.db, row);
      await this.#audit(transaction, caller, 'webhooks.created', row);
    });
    await this.#publishChange(id);
    return this.#describe(row, input.secret === undefined ? secret : undefined);
  }

  async change(
    caller: Caller,
    id: string,
    { active, url, events, format, token, description }: UpdateWebhook,
  ): Promise<Webhook> {
    const { database, store, backlogs, deliverer } = this.#deps;
    if (url !== undefined) this.#checkUrl(url);
    const sealed = typeof token === 'string' ? this.#sealToken(id, token) : token;
    const row = await database.write(async (transaction) => {
      const before = requireVisible(caller, await store.lock(transaction.db, id));
      if (url !== undefined || token !== undefined) requireTrusted(caller, before);
      const after = await store.update(transaction.db, before, {
        ...(active !== undefined && { status: active ? 'active' : 'paused', failing_since: null }),
        ...(url !== undefined && { url }),
        // A token is for the receiver that it was given for.
        ...(url !== undefined && originOf(url) !== originOf(before.url) && { token: null }),
        ...(sealed !== undefined && { token: sealed }),
        ...(format !== undefined && { format }),
        ...(events !== undefined && { events: JSON.stringify(events) }),
        ...(description !== undefined && { description }),
      });
      await this.#audit(transaction, caller, 'webhooks.changed', after);
      return after;
    });
    await this.#publishChange(id);
    if (active === true) {
      backlogs.forget(id);
      await deliverer.resume(id);
    }
    return this.#describe(row);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { database, store, deliveries, backlogs } = this.#deps;
    await database.write(async (transaction) => {
      const row = requireVisible(caller, await store.find(id, transaction.db));
      await store.remove(transaction.db, id);
      await deliveries.removeOf(transaction, id);
      await this.#audit(transaction, caller, 'webhooks.removed', row);
    });
    await this.#publishChange(id);
    backlogs.forget(id);
    // Concurrent task changes may have added deliveries in the meantime.
    await database.write((transaction) => deliveries.removeOf(transaction, id));
  }

  /** Signs with the previous secret as well for `keepHours`, so that receivers can switch without failures. */
  async rotateSecret(caller: Caller, id: string, options: RotateSecret): Promise<Webhook> {
    const { database, store, runtime } = this.#deps;
    const secret = options.secret ?? newWebhookSecret(runtime);
    const sealed = this.#seal(id, secret);
    const until = new Date(runtime.now().getTime() + options.keepHours * HOUR_MS).toISOString();
    const row = await database.write(async (transaction) => {
      const before = requireVisible(caller, await store.lock(transaction.db, id));
      requireTrusted(caller, before);
      const isKept = options.keepHours > 0;
      const after = await store.update(transaction.db, before, {
        secret: sealed,
        previous_secret: isKept ? before.secret : null,
        previous_until: isKept ? until : null,
      });
      await this.#audit(transaction, caller, 'webhooks.secret_rotated', after);
      return after;
    });
    await this.#publishChange(id);
    return this.#describe(row, options.secret === undefined ? secret : undefined);
  }

  /** Sends a test event and returns the result. */
  async test(caller: Caller, id: string): Promise<WebhookDelivery> {
    const { database, store, deliveries, runtime } = this.#deps;
    const deliveryId = runtime.newId('dlv');
    const at = runtime.now().toISOString();
    const payload = { message: 'svc can reach this webhook' };
    const body = deliveryBody({ id: deliveryId, event: testEvent, at, payload });
    await database.write(async (transaction) => {
      requireVisible(caller, await store.find(id, transaction.db));
      deliveries.insert(transaction, {
        id: deliveryId,
        webhook_id: id,
        event: testEvent,
        task_id: null,
        body,
        at,
        next_attempt_at: this.#handDueAt(),
      });
      await caller.auditEntry?.append(transaction, { deliveryId });
    });
    return this.#sendAndFetch(id, deliveryId);
  }

  async deliveries(
    caller: Caller,
    id: string,
    query: ListDeliveriesQuery,
  ): Promise<{ deliveries: WebhookDelivery[]; total: number; limit: number; offset: number }> {
    requireVisible(caller, await this.#deps.store.find(id));
    const { rows, total } = await this.#deps.deliveries.list(id, query);
    return { deliveries: rows.map(toDelivery), total, limit: query.limit, offset: query.offset };
  }

  /** Sends the same body with the same id again, regardless of the earlier result and the webhook's status. */
  async redeliver(caller: Caller, id: string, deliveryId: string): Promise<WebhookDelivery> {
    const { database, store, deliveries } = this.#deps;
    requireVisible(caller, await store.find(id));
    await this.#delivery(id, deliveryId);
    await database.write(async (transaction) => {
      await deliveries.requeue(transaction, deliveryId, this.#handDueAt());
      await caller.auditEntry?.append(transaction);
    });
    return this.#sendAndFetch(id, deliveryId);
  }

  /** The daemon that owns the lane sends it later, should this one be killed. */
  #handDueAt(): string {
    const { deliverer, runtime } = this.#deps;
    return new Date(runtime.now().getTime() + deliverer.handTimeMs).toISOString();
  }

  async #sendAndFetch(id: string, deliveryId: string): Promise<WebhookDelivery> {
    await this.#deps.deliverer.sendNow(deliveryId);
    return toDelivery(await this.#delivery(id, deliveryId));
  }

  async #delivery(id: string, deliveryId: string) {
    const row = await this.#deps.deliveries.find(deliveryId);
    if (row?.webhook_id !== id) throw new AppError('not_found', 'Delivery not found');
    return row;
  }

  /** From now on events are stored for the webhook as it is, by this daemon and soon by the others. */
  async #publishChange(id: string): Promise<void> {
    const { registry, bus } = this.#deps;
    await registry.reload();
    bus.emit('webhook_changed', { id });
  }

  #describe(row: WebhookRow, shown?: string): Webhook {
    const { keys, runtime } = this.#deps;
    const secret = shown ?? maskKey(keys.box.open(row.secret, secretContext(row.id)));
    const token = row.token === null ? undefined : maskKey(keys.box.open(row.token, tokenContext(row.id)));
    return toWebhook(row, { secret, token }, runtime.now());
  }

  #sealToken(id: string, token: string): string {
    return this.#deps.keys.box.seal(token, tokenContext(id));
  }

  #seal(id: string, secret: string): string {
    return this.#deps.keys.box.seal(secret, secretContext(id));
  }

  /** Host names are resolved and checked when a request is sent. */
  #checkUrl(url: string): void {
    try {
      this.#deps.outbound.check(url);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const details = [{ path: 'url', message: messageOf(error) }];
      throw new AppError('validation', 'Validation failed', { details, cause: error });
    }
  }

  /** Logs only the origin, because paths and queries of URLs may contain secrets. */
  #audit(transaction: WriteTransaction, caller: Caller, tool: string, row: WebhookRow): Promise<void> {
    return this.#deps.audit.append(transaction, {
      kind: 'security',
      tool,
      userId: caller.userId,
      arguments: {
        webhookId: row.id,
        receiver: originOf(row.url),
        events: JSON.parse(row.events),
        format: row.format,
        hasToken: row.token !== null,
        status: row.status,
        seesAll: row.sees_all === 1,
      },
      result: 'ok',
    });
  }
}

const originOf = (url: string): string => new URL(url).origin;

/** API tokens cannot access webhooks that receive the tasks of all users. */
const isHiddenFrom = (caller: Caller, row: WebhookRow): boolean =>
  caller.token !== undefined && row.sees_all === 1;

function requireVisible(caller: Caller, row: WebhookRow | undefined): WebhookRow {
  return requireOwned(caller, row && isHiddenFrom(caller, row) ? undefined : row, 'Webhook');
}

/** Changing the URL, secret or token redirects events, including pending ones. */
function requireTrusted(caller: Caller, row: WebhookRow): void {
  if (isAdmin(caller) || row.sees_all === 0) return;
  throw new AppError(
    'forbidden',
    'This webhook receives the tasks of all users: only an administrator may change its URL, secret or token',
  );
}
