import { sql } from 'kysely';
import { expect } from 'vitest';
import type { WebhookEvent } from '../../src/contract/webhooks.ts';
import type { WebhookRow } from '../../src/core/storage/rows/webhooks.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { TaskStore } from '../../src/core/tasks/task-store.ts';
import { WebhookBacklogs } from '../../src/core/webhooks/webhook-backlogs.ts';
import { WebhookDeliveryStore } from '../../src/core/webhooks/webhook-delivery-store.ts';
import { WebhookOutbox } from '../../src/core/webhooks/webhook-outbox.ts';
import { WebhookRegistry } from '../../src/core/webhooks/webhook-registry.ts';
import { WebhookStore } from '../../src/core/webhooks/webhook-store.ts';
import type { TestDaemon } from './daemon.ts';
import { isPro } from './pro.ts';
import { openStorage } from './storage.ts';

export const allEvents: WebhookEvent[] = [
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.waiting',
  'agent.started',
  'agent.finished',
  'approval.requested',
  'approval.decided',
];

/** Ids of one millisecond have no order. */
const asWritten = isPro
  ? sql`length(webhook_deliveries.id), webhook_deliveries.id`
  : sql`webhook_deliveries.rowid`;

const at = '2026-01-01T00:00:00.000Z';
const throwing = (error: unknown): never => {
  throw error;
};

/** The row of a webhook that wants everything. */
export const webhookRow = (id: string, change: Partial<WebhookRow> = {}): WebhookRow => ({
  id,
  owner_id: 'user_owner',
  sees_all: 0,
  url: 'https://receiver.example/hook',
  events: JSON.stringify(allEvents),
  format: 'json',
  status: 'active',
  secret: '',
  previous_secret: null,
  previous_until: null,
  token: null,
  description: null,
  delivery_count: 0,
  failure_count: 0,
  last_delivery_at: null,
  failing_since: null,
  created_at: at,
  ...change,
});

/** A store of tasks that tells webhooks, over a database of its own; what is sent is only noted. */
export async function openOutbox({ maxPending, baseUrl }: { maxPending?: number; baseUrl?: string } = {}) {
  const storage = await openStorage();
  const { database, bus } = storage;
  const store = new WebhookStore(database);
  const registry = await WebhookRegistry.load({ store, bus, reportBug: throwing });
  const sent: string[] = [];
  const outbox = new WebhookOutbox({
    database,
    store,
    registry,
    backlogs: new WebhookBacklogs({
      database,
      store,
      reportBug: throwing,
      isInCluster: false,
      ...(maxPending !== undefined && { maxPending }),
    }),
    deliveries: new WebhookDeliveryStore(database),
    deliverer: { add: ({ id }) => void sent.push(id) },
    baseUrl: () => baseUrl,
    runtime: systemRuntime,
    reportBug: throwing,
  });
  return {
    ...storage,
    registry,
    outbox,
    /** The ids of what the deliverer was given, in the order. */
    sent,
    store: new TaskStore(database, bus, outbox),
    addUser: (id: string, change: { role?: string; disabled_at?: string } = {}) =>
      database.write(async ({ db }) => {
        await db
          .insertInto('users')
          .values({
            id,
            email: id,
            name: id,
            role: 'user',
            created_at: at,
            onboarding_completed: 0,
            ...change,
          })
          .execute();
      }),
    addWebhooks: async (...rows: WebhookRow[]) => {
      await database.write(({ db }) => db.insertInto('webhooks').values(rows).execute());
      await registry.reload();
    },
    deliveries: () => database.read.selectFrom('webhook_deliveries').selectAll().orderBy(asWritten).execute(),
  };
}

/** What a webhook was told of a task, or of all, in its order; what each body has in common is checked here. */
export async function toldTo({ app }: TestDaemon, webhookId: string, taskId?: string) {
  const rows = await app.database.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy(asWritten)
    .execute();
  return rows
    .filter((row) => taskId === undefined || row.task_id === taskId)
    .map((row) => {
      const { id, event, timestamp, payload, ...rest } = JSON.parse(row.body) as Record<string, unknown>;
      expect({ id, event, rest }).toEqual({ id: row.id, event: row.event, rest: {} });
      expect(timestamp).toBe(new Date(timestamp as string).toISOString());
      expect(id).toMatch(/^dlv_/);
      return [event, payload];
    });
}
