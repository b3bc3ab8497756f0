import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { environmentNameOf } from '../../src/core/config/settings.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { startLoopbackServer } from '../core/outbound/loopback-server.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const START_MS = 20_000;

async function twoDaemons() {
  const ran: { daemon: number; task: string }[] = [];
  const cluster = await startCluster(2, (daemon) => ({
    flags: { 'outbound.allowPrivate': ['127.0.0.0/8'] },
    extraAdapters: [
      testAdapter(async ({ task }) => {
        ran.push({ daemon, task: task.id });
        return { output: 'done' };
      }),
    ],
  }));
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  return { a, b, ran, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

const create = async ({ client }: TestDaemon, title = 'A task') =>
  (await client.tasks.create({ body: { title, assignedAgent: 'test' } })).task.id;

describeCluster('work that daemons share', () => {
  it('is queued once: the start of a new cluster finds that Redis has nothing, not its first sweep', async () => {
    await using cluster = await startCluster(1);
    const { env } = cluster.environment;
    const redis = new Redis(env['QUEUE_STORE_URL'] ?? '');
    const known = await redis.keys(`*:${env[environmentNameOf('queue.name')]}:alive`);
    redis.disconnect();
    expect(known).toHaveLength(1);
  });

  it('sends each delivery of a webhook once, whichever daemon caused it', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    await using receiver = await startLoopbackServer((response) => void response.end());
    const arrived = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']));
    const body = {
      url: `${receiver.url}/hook`,
      events: ['task.created' as const, 'task.completed' as const],
    };
    const { webhook } = await a.client.webhooks.create({ body });
    // B hears of the new webhook.
    await vi.waitFor(async () => {
      await create(b);
      const { deliveries } = await b.client.webhooks.listDeliveries({
        params: { id: webhook.id },
        query: {},
      });
      expect(deliveries.length).toBeGreaterThan(0);
    }, START_MS);
    for (let index = 0; index < 50; index++) await Promise.all([create(a), create(b), create(a), create(b)]);
    const database = a.app.database.read;
    await vi.waitFor(async () => {
      const open = await database
        .selectFrom('tasks')
        .select('id')
        .where('status', 'not in', ['completed'])
        .execute();
      expect(open).toEqual([]);
      const pending = await database
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('status', '!=', 'delivered')
        .execute();
      expect(pending).toEqual([]);
    }, 60_000);
    const stored = await database.selectFrom('webhook_deliveries').select('id').execute();
    expect(stored.length).toBeGreaterThanOrEqual(400);
    expect(arrived().toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    // By hand, on both: once, though the lane belongs to one of them.
    for (const daemon of [a, b]) await daemon.client.webhooks.sendTest({ params: { id: webhook.id } });
    expect(arrived()).toHaveLength(stored.length + 2);
  });

  it('starts nothing on one daemon while another has paused the queue, and goes on when it resumes', async () => {
    await using cluster = await twoDaemons();
    const { a, b, ran } = cluster;
    await a.client.queue.pause();
    await vi.waitFor(async () => expect((await b.client.queue.getStatus()).paused).toBe(true), START_MS);
    const id = await create(b);
    expect(ran).toEqual([]);
    await a.client.queue.resume();
    expect((await follow(b.client, id)).task.status).toBe('completed');
  });

  it('follows the policy and the guards that another daemon has changed', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    await a.client.policy.update({ body: { blockedTools: ['run_command'], defaultMode: 'deny' } });
    await a.client.guards.update({ params: { name: 'rate-limit' }, body: { enabled: false } });
    expect(await b.client.policy.get()).toMatchObject({
      blockedTools: ['run_command'],
      defaultMode: 'deny',
    });
    const { guards } = await b.client.guards.list();
    expect(guards.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual(['rate-limit']);
    // What begins a run takes the mode that it knows.
    await vi.waitFor(() => expect(b.app.policy.policy.defaultMode).toBe('deny'), START_MS);
  });

  it('refuses an access key that another daemon has replaced, and sessions that it has ended', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    await a.client.auth.updateAccessKey({ body: { key: 'the first key' } });
    await b.app.accessKey.verify('the first key');
    await a.client.auth.updateAccessKey({ body: { key: 'the second key' } });
    await expect(b.app.accessKey.verify('the first key')).rejects.toThrow('wrong');
    const { token } = await b.app.accessKey.verify('the second key');
    expect(await b.app.sessions.resolve(token)).toBeDefined();
    await a.client.auth.updateAccessKey({ body: { key: 'the third key' } });
    await vi.waitFor(async () => expect(await b.app.sessions.resolve(token)).toBeUndefined(), START_MS);
  });

  it('ends a stream whose session ended unheard, and no other', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    const ann = await addUser(a, 'ann');
    const bob = await addUser(a, 'bob');
    const ended: string[] = [];
    const callerOf = async ({ headers }: typeof ann) =>
      (await b.app.sessions.resolve(headers.cookie.slice(headers.cookie.indexOf('=') + 1))) ?? ann.caller;
    b.app.accessWatch.watch(await callerOf(ann), () => ended.push('ann'));
    b.app.accessWatch.watch(await callerOf(bob), () => ended.push('bob'));
    // As if the event were lost: only the row is gone.
    await a.app.database.write(({ db }) =>
      db.deleteFrom('sessions').where('owner_id', '=', ann.caller.userId).execute(),
    );
    b.app.bus.missed();
    await vi.waitFor(() => expect(ended).toEqual(['ann']), 20_000);
  });

  it('starts an occurrence of a schedule once, also where the clock of one daemon is wrong', async () => {
    const ahead = { ...systemRuntime, now: () => new Date(Date.now() + 60_000) };
    await using cluster = await startCluster(3, (daemon) => ({
      extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
      ...(daemon === 2 && { runtime: ahead }),
    }));
    const [a] = cluster.daemons as [TestDaemon];
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      const { schedule } = await a.client.schedules.create({
        body: {
          at: new Date(Date.now() + 1500).toISOString(),
          task: { title: 'Once', assignedAgent: 'test' },
        },
      });
      ids.push(schedule.id);
    }
    await vi.waitFor(async () => {
      await Promise.all(cluster.daemons.map(({ app }) => app.scheduler.check()));
      for (const id of ids) {
        const { schedule } = await a.client.schedules.get({ params: { id } });
        expect(schedule.status).toBe('done');
      }
    }, START_MS);
    await Promise.all(cluster.daemons.map(({ app }) => app.scheduler.check()));
    const tasks = await a.app.database.read
      .selectFrom('tasks')
      .select('source_id')
      .where('source', '=', 'cron')
      .execute();
    expect(tasks.map(({ source_id }) => String(source_id)).toSorted()).toEqual(ids.toSorted());
  });
});
