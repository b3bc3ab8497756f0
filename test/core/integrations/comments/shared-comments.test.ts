import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { wireName } from '../../../../src/contract/vendors.ts';
import { Config } from '../../../../src/core/config/config.ts';
import { composeComments } from '../../../../src/core/integrations/comments/compose-comments.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { LEASE_MS } from '../../../../src/core/leases.ts';
import { TaskStore } from '../../../../src/core/tasks/task-store.ts';
import { CommentVendors, vendorSettings } from '../../../helpers/comment-vendors.ts';
import { hasPostgres } from '../../../helpers/postgres-server.ts';
import { newTask } from '../../../helpers/storage.ts';
import { leaseWorld } from '../../cluster/lease-world.ts';
import { FakeConnections, github } from './comment-world.ts';

describe.skipIf(!hasPostgres)('comments of several daemons', () => {
  it('writes one comment for each task, from one daemon, and goes on with another when it is killed', async () => {
    await using world = await leaseWorld(2);
    const { runtime, advance } = world;
    const vendors = new CommentVendors(runtime.now);
    const connections = new FakeConnections();
    connections.tokens['user_owner github'] = 'token';
    const config = new Config({
      env: {},
      settingsFile: join(tmpdir(), 'svc-there-is-no-such-folder', 'settings.json'),
      flags: vendorSettings(),
    });
    const by: number[] = [];
    const waits: (() => void)[] = [];
    const daemons = world.holders.map((holder, index) => {
      const { database, bus, leases, id: daemonId } = holder;
      const setTimer = (run: () => void) => {
        waits.push(run);
        return setTimeout(() => undefined, 0);
      };
      const comments = composeComments({
        database,
        bus,
        config,
        connections,
        fetch: (url, request) => {
          if (request.method !== 'GET') by.push(index);
          return vendors.fetch(url, request);
        },
        runtime,
        log: silentLog,
        peers: { leases, bus, daemonId, setTimer },
        // The pace is the vendors', and not what this is about.
        setTimer: (run) => setTimeout(run, 1).unref(),
      }).services.sourceComments;
      comments.start();
      const store = new TaskStore(database, bus);
      const add = (id: string) =>
        database.write(async (transaction) => {
          await store.insert(transaction, newTask(id, { status: 'in_progress', attempts: 1 }), []);
          comments.add(transaction, { taskId: id, ownerId: 'user_owner', target: github });
        });
      return { ...holder, comments, add };
    });
    const [a, b] = daemons as [(typeof daemons)[number], (typeof daemons)[number]];
    try {
      const ids = ['task_1', 'task_2', 'task_3', 'task_4'];
      await a.add('task_0');
      // Both hear of it, and either may be the first.
      const writer = await vi.waitFor(() => {
        const holder = daemons.find(({ leases }) => leases.holds(`comments ${wireName('github')}`));
        expect(holder).toBeDefined();
        return holder as (typeof daemons)[number];
      }, 20_000);
      const other = writer === a ? b : a;
      for (const [index, id] of ids.entries()) await (index % 2 ? a : b).add(id);
      await Promise.all(daemons.map(({ comments }) => comments.sweep()));
      await vi.waitFor(() => expect(vendors.comments.github).toHaveLength(5), 20_000);
      const [first, second] = [daemons.indexOf(writer), daemons.indexOf(other)];
      expect(new Set(by)).toEqual(new Set([first]));
      writer.kill();
      await other.add('task_5');
      await other.comments.sweep();
      expect(vendors.comments.github).toHaveLength(5);
      advance(LEASE_MS + 1);
      for (const run of waits.splice(0)) run();
      await vi.waitFor(() => expect(vendors.comments.github).toHaveLength(6), 20_000);
      expect(by).toEqual([first, first, first, first, first, second]);
    } finally {
      for (const { comments } of daemons) await comments.stop();
    }
  });
});
