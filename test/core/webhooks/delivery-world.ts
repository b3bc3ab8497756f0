import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import type { OutboundFetch, OutboundRequest } from '../../../src/core/outbound/outbound-fetch.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import type { WebhookRow } from '../../../src/core/storage/rows/webhooks.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { WebhookDeliverer } from '../../../src/core/webhooks/webhook-deliverer.ts';
import { type NewDelivery, WebhookDeliveryStore } from '../../../src/core/webhooks/webhook-delivery-store.ts';
import { manualTimer } from '../outbound/manual-timer.ts';

export const began = Date.parse('2026-01-01T00:00:00.000Z');
export const keys = new KeyRing(Buffer.alloc(32, 7));
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const bodyOf = (id: string) => JSON.stringify({ id, event: 'task.completed', text: 'ä 🙂' });

export type Said = number | Error | { status: number; text?: string; headers?: Record<string, string> };
export interface Sent extends OutboundRequest {
  url: string;
  id: string;
  atMs: number;
}

export interface WorldOptions {
  timer?: ReturnType<typeof manualTimer>;
  /** What the receiver says to an attempt. */
  answer?: (id: string, url: string) => Said | Promise<Said>;
  /** Instead of the receivers of the test. */
  fetch?: OutboundFetch;
  random?: () => number;
  baseUrl?: string;
}

/** A deliverer of webhooks whose receivers, clock and timer are the test's. */
export function deliveryWorld(database: Database, options: WorldOptions = {}) {
  const { timer = manualTimer(began), answer = () => 200, random = () => 0 } = options;
  const sent: Sent[] = [];
  const failing: string[] = [];
  const fetch: OutboundFetch = async (url, request) => {
    const id = request.headers?.['webhook-id'] ?? '';
    sent.push({ url, id, ...request, atMs: timer.now().getTime() - began });
    const said = await answer(id, url);
    if (said instanceof Error) throw said;
    const { status, text = '', headers = {} } = typeof said === 'number' ? { status: said } : said;
    return { status, text, headers: new Headers(headers) };
  };
  const runtime = { ...systemRuntime, now: timer.now, random };
  const store = new WebhookDeliveryStore(database);
  const notifications = new NotificationService({ database, bus: new EventBus(), runtime });
  const deliverer = new WebhookDeliverer({
    database,
    store,
    notifications,
    fetch: options.fetch ?? fetch,
    keys,
    home: '/home/ann',
    baseUrl: () => options.baseUrl,
    runtime,
    log: silentLog,
    onFailing: (id) => failing.push(id),
    ...(options.fetch ? {} : { setTimer: timer.setTimer }),
  });
  const now = () => timer.now().toISOString();
  return {
    deliverer,
    store,
    sent,
    timer,
    failing,
    notifications,
    ids: () => sent.map(({ id }) => id),
    seconds: () => sent.map(({ atMs }) => atMs / 1000),
    /** Stores events for a webhook, as an outbox does, and tells the deliverer. */
    async add(ids: string | string[], change: Partial<NewDelivery> = {}) {
      const rows = [ids].flat().map((id) => ({
        id,
        webhook_id: 'wh_1',
        event: 'task.completed' as const,
        task_id: 'task_1' as string | null,
        approval_id: null as string | null,
        body: bodyOf(id),
        at: now(),
        ...change,
      }));
      await database.write(async (transaction) => {
        for (const row of rows) store.insert(transaction, row);
        transaction.afterCommit(() => {
          for (const { id, webhook_id, task_id, approval_id, at } of rows)
            deliverer.add({
              id,
              webhookId: webhook_id,
              taskId: task_id,
              approvalId: approval_id,
              attempts: 0,
              dueAt: Date.parse(at),
            });
        });
      });
    },
    row: async (id: string) => (await store.find(id)) ?? never(id),
    webhook: (id = 'wh_1') =>
      database.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    change: (change: Partial<WebhookRow>, id = 'wh_1') =>
      database.write(({ db }) => db.updateTable('webhooks').set(change).where('id', '=', id).execute()),
    notified: () =>
      database.read.selectFrom('notifications').selectAll().where('type', '=', 'webhook_failing').execute(),
  };
}
export type DeliveryWorld = ReturnType<typeof deliveryWorld>;

const never = (id: string): never => {
  throw new Error(`There is no ${id}`);
};

/** Registers a webhook as its service does. */
export const addWebhook = (database: Database, id = 'wh_1', change: Partial<WebhookRow> = {}, ring = keys) =>
  database.write(({ db }) =>
    db
      .insertInto('webhooks')
      .values({
        id,
        owner_id: 'user_1',
        sees_all: 0,
        url: `https://${id.replace('_', '-')}.example/hook`,
        events: '[]',
        format: 'json',
        status: 'active',
        secret: ring.box.seal(secret, `webhooks:${id}`),
        delivery_count: 0,
        failure_count: 0,
        created_at: new Date(began).toISOString(),
        ...change,
      })
      .execute(),
  );
