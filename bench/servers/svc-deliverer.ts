import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventBus } from '../../src/core/events.ts';
import { silentLog } from '../../src/core/log.ts';
import { NotificationService } from '../../src/core/notifications/notification-service.ts';
import { createOutboundFetch } from '../../src/core/outbound/outbound-fetch.ts';
import { KeyRing } from '../../src/core/secrets/key-ring.ts';
import { openSqlite } from '../../src/core/storage/sqlite/open-sqlite.ts';
import { systemRuntime as runtime } from '../../src/core/runtime.ts';
import { WebhookDeliverer } from '../../src/core/webhooks/webhook-deliverer.ts';
import { WebhookDeliveryStore } from '../../src/core/webhooks/webhook-delivery-store.ts';

/** Events for webhooks, each stored in a write of its own, sent, and what came of it recorded, all of it durable. */
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const receiver = process.env['BENCH_RECEIVER'] ?? '';
const database = await openSqlite({
  file: join(home, 'svc.db'),
  synchronous: 'FULL',
  cacheMiB: 64,
  reportBug: (error) => console.error(error),
});
/** The same array each time, as the settings of the daemon return it. */
const allowed = ['127.0.0.1/32'];
const keys = new KeyRing(Buffer.alloc(32, 1));
const store = new WebhookDeliveryStore(database);
const deliverer = new WebhookDeliverer({
  database,
  store,
  notifications: new NotificationService({ database, bus: new EventBus(), runtime }),
  fetch: createOutboundFetch(() => allowed).fetch,
  keys,
  runtime,
  log: silentLog,
  home: undefined,
  baseUrl: () => undefined,
  onFailing: () => undefined,
});

process.on('message', (question: string) => {
  const { count = 0, live = 0, dead = 0 } = JSON.parse(question) as Record<string, number>;
  void run(count, live, dead).then((result) => process.send?.(result));
});
process.on('SIGTERM', () => {
  void deliverer.stop().then(() => {
    rmSync(home, { recursive: true });
    process.exit(0);
  });
});
process.send?.({ url: receiver, headers: {} });

/** So many events for each of the live and the dead webhooks, which are new; until all of the live ones have them. */
async function run(count: number, live: number, dead: number) {
  const wellIds = await register(live, '/');
  const webhooks = [...(await register(dead, '/dead')), ...wellIds];
  const commits = database.commits();
  const started = performance.now();
  await Promise.all(webhooks.flatMap((id) => Array.from({ length: count }, () => add(id))));
  while ((await arrivedAt(wellIds)) < live * count) await delay(5);
  const ms = performance.now() - started;
  return { ms, commits: database.commits() - commits, rss: process.memoryUsage.rss() };
}

async function register(count: number, path: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => runtime.newId('wh'));
  await database.write(async (transaction) => {
    for (const id of ids)
      transaction.insertLater('webhooks', {
        id,
        owner_id: 'owner',
        sees_all: 1,
        url: `${receiver}${path}`,
        events: '[]',
        status: 'active',
        secret: keys.box.seal('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `webhooks:${id}`),
        created_at: runtime.now().toISOString(),
      });
  });
  return ids;
}

const add = (webhookId: string) =>
  database.write(async (transaction) => {
    const id = runtime.newId('dlv');
    const at = runtime.now();
    const body = `{"at":${at.getTime()},"payload":"${'x'.repeat(400)}"}`;
    const row = { id, webhook_id: webhookId, event: 'task.created' as const, task_id: null, body };
    store.insert(transaction, { ...row, at: at.toISOString() });
    transaction.afterCommit(() =>
      deliverer.add({ id, webhookId, taskId: null, attempts: 0, dueAt: at.getTime() }),
    );
  });

async function arrivedAt(ids: string[]): Promise<number> {
  const row = await database.read
    .selectFrom('webhooks')
    .select(({ fn }) => fn.sum<number>('delivery_count').as('n'))
    .where('id', 'in', ids)
    .executeTakeFirst();
  return row?.n ?? 0;
}
