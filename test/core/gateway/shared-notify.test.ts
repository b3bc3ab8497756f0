import { describe, expect, it, vi } from 'vitest';
import { NotifyDeliverer } from '../../../src/core/gateway/notify-deliverer.ts';
import { NotifyStore } from '../../../src/core/gateway/notify-store.ts';
import { silentLog } from '../../../src/core/log.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { TaskFinishWatcher } from '../../../src/core/tasks/task-finish-watcher.ts';
import { TaskStore } from '../../../src/core/tasks/task-store.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { newTask } from '../../helpers/storage.ts';
import { leaseWorld } from '../cluster/lease-world.ts';

const keys = new KeyRing(Buffer.alloc(32, 7));

describe.skipIf(!hasPostgres)('notifications of several daemons', () => {
  it('sends each once, though all of them see that its task has finished', async () => {
    await using world = await leaseWorld(2);
    const { runtime } = world;
    const sent: string[] = [];
    const daemons = world.holders.map(({ database, leases, bus, id: daemonId }) => {
      const deliverer = new NotifyDeliverer({
        database,
        store: new NotifyStore(database),
        finishWatcher: new TaskFinishWatcher(bus, database, silentLog),
        fetch: async (_, { headers }) => {
          sent.push(headers?.['webhook-id'] ?? '');
          return { status: 200, text: '', headers: new Headers() };
        },
        keys,
        runtime,
        log: silentLog,
        peers: { leases, bus, daemonId },
      });
      return { database, deliverer, store: new TaskStore(database, bus) };
    });
    const [first] = daemons as [(typeof daemons)[number]];
    const at = runtime.now().toISOString();
    await first.database.write(async ({ db }) => {
      const user = { id: 'user_owner', email: 'o', name: 'o', role: 'admin', onboarding_completed: 0 };
      await db
        .insertInto('users')
        .values({ ...user, created_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const token = { id: 'token_1', owner_id: 'user_owner', name: 't', prefix: 't', token_hash: 'h' };
      await db
        .insertInto('api_tokens')
        .values({ ...token, scopes: '[]', created_at: at })
        .execute();
    });
    const ids = Array.from({ length: 30 }, (_, index) => `dlv_${index}`);
    for (const [index, id] of ids.entries()) {
      const { database, deliverer, store } = daemons[index % 2] ?? first;
      await database.write(async (transaction) => {
        const task_id = `task_of_${id}`;
        await store.insert(transaction, newTask(task_id, { status: 'completed', completed_at: at }), []);
        const url = 'https://receiver.example/hook';
        deliverer.add(transaction, {
          id,
          url,
          request_id: 'req_1',
          task_id,
          token_id: 'token_1',
          created_at: at,
        });
      });
    }
    try {
      for (const { deliverer } of daemons) deliverer.start();
      await vi.waitFor(async () => {
        const open = await first.database.read
          .selectFrom('notify_deliveries')
          .select('id')
          .where('status', '!=', 'delivered')
          .execute();
        expect(open).toEqual([]);
      }, 20_000);
      expect(sent.toSorted()).toEqual(ids.toSorted());
    } finally {
      for (const { deliverer } of daemons) await deliverer.stop();
    }
  });
});
