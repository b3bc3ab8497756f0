import { afterEach, describe, expect, it, vi } from 'vitest';
import { LEASE_MS } from '../../../src/core/leases.ts';
import { silentLog } from '../../../src/core/log.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import type { OutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { WebhookDeliverer } from '../../../src/core/webhooks/webhook-deliverer.ts';
import { WebhookDeliveryStore } from '../../../src/core/webhooks/webhook-delivery-store.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { leaseWorld } from '../cluster/lease-world.ts';
import { addWebhook, bodyOf, keys } from './delivery-world.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Answer = (sent: { id: string; daemon: number; signal: AbortSignal }) => Promise<number>;

/** Daemons with a webhook each can send to; `sent` counts who sent what. */
async function senders(count: number, answer: Answer = async () => 200) {
  const world = await leaseWorld(count);
  const { runtime } = world;
  const sent: { id: string; daemon: number }[] = [];
  const daemons = world.holders.map((holder, daemon) => {
    const { database, leases, bus, id: daemonId } = holder;
    const fetch: OutboundFetch = async (_, { headers, signal = new AbortController().signal }) => {
      const attempt = { id: headers?.['webhook-id'] ?? '', daemon };
      sent.push(attempt);
      return { status: await answer({ ...attempt, signal }), text: '', headers: new Headers() };
    };
    /** Waits for the lease of another daemon. */
    const timers: (() => void)[] = [];
    const setTimer = (run: () => void) => {
      timers.push(run);
      return setTimeout(() => undefined, 0);
    };
    const store = new WebhookDeliveryStore(database);
    const deliverer = new WebhookDeliverer({
      database,
      store,
      notifications: new NotificationService({ database, bus, runtime }),
      fetch,
      keys,
      home: undefined,
      baseUrl: () => undefined,
      runtime,
      log: silentLog,
      peers: { leases, bus, daemonId, setTimer },
      onFailing: () => undefined,
    });
    stops.push(() => deliverer.stop());
    deliverer.start();
    /** Stores events, as an outbox does, and tells the deliverer. */
    const add = async (id: string, webhook_id = 'wh_1', task_id = id) => {
      const at = runtime.now().toISOString();
      await database.write(async (transaction) => {
        store.insert(transaction, { id, webhook_id, event: 'task.completed', task_id, body: bodyOf(id), at });
        transaction.afterCommit(() =>
          deliverer.add({ id, webhookId: webhook_id, taskId: task_id, attempts: 0, dueAt: Date.parse(at) }),
        );
      });
    };
    const endWaits = () => timers.splice(0).forEach((run) => run());
    return { ...holder, deliverer, store, add, endWaits };
  });
  stops.push(() => world[Symbol.asyncDispose]());
  const [first] = daemons as [(typeof daemons)[number]];
  await addWebhook(first.database);
  const waiting = async () => (await first.store.pendingOf('wh_1', 1000)).length;
  return { ...world, daemons, sent, waiting };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `dlv_${String(index).padStart(4, '0')}`);

describe.skipIf(!hasPostgres)('webhooks of several daemons', () => {
  it('sends each delivery once, from one daemon at a time', async () => {
    const { daemons, sent, waiting } = await senders(3);
    const ids = numbered(200);
    await Promise.all(ids.map(async (id, index) => daemons[index % 3]?.add(id)));
    await vi.waitFor(async () => expect(await waiting()).toBe(0), 20_000);
    expect(sent.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(new Set(sent.map(({ daemon }) => daemon)).size).toBe(1);
  });

  it('goes on with another daemon when the lease of a killed one has ended, and loses nothing', async () => {
    const hangs = new Set<string>();
    const { daemons, sent, waiting, advance } = await senders(2, ({ id, daemon, signal }) => {
      if (daemon === 1 || sent.length <= 20) return Promise.resolve(200);
      hangs.add(id);
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    const [a, b] = daemons as [(typeof daemons)[number], (typeof daemons)[number]];
    const ids = numbered(60);
    for (const id of ids) await a.add(id);
    // A sends nothing more, and what is under way does not end.
    await vi.waitFor(() => expect(hangs.size).toBe(8), 20_000);
    a.kill();
    for (const id of ids) await b.add(`${id}_b`);
    expect(sent.filter(({ daemon }) => daemon === 1)).toEqual([]);
    advance(LEASE_MS + 1);
    b.endWaits();
    await vi.waitFor(async () => expect(await waiting()).toBe(0), 20_000);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(2 * ids.length);
    const byB = sent.filter(({ daemon }) => daemon === 1).map(({ id }) => id);
    expect(new Set(byB).size).toBe(byB.length);
    const byA = sent.filter(({ daemon }) => daemon === 0).map(({ id }) => id);
    // Only what A had under way is sent again.
    expect(byB.filter((id) => byA.includes(id)).toSorted()).toEqual([...hangs].toSorted());
  });
});
