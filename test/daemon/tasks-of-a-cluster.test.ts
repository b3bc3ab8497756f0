import { expect, it } from 'vitest';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { RedisServer } from '../helpers/redis-server.ts';
import { follow, testAdapter, until } from '../helpers/tasks.ts';

/** Two daemons with one slot each; `runs` counts who runs what. */
async function twoDaemons(
  execute: (signal: AbortSignal) => Promise<unknown> = async () => undefined,
  redis?: RedisServer,
) {
  const runs: { daemon: number; task: string }[] = [];
  const cluster = await startCluster(
    2,
    (daemon) => ({
      flags: { 'queue.concurrency': 1 },
      extraAdapters: [
        testAdapter(async ({ task, signal }) => {
          runs.push({ daemon, task: task.id });
          await execute(signal);
          return { output: `by ${daemon}` };
        }),
      ],
    }),
    redis,
  );
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  return { a, b, runs, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

const create = async ({ client }: TestDaemon, title = 'A task', key?: string) => {
  const { task } = await client.tasks.create({
    body: { title, assignedAgent: 'test' },
    ...(key && { headers: { 'idempotency-key': key } }),
  });
  return task.id;
};

/** Rejects with the reason of the signal. */
const untilStopped = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describeCluster('tasks of two daemons', () => {
  it('runs on the other daemon what one has no slot for', async () => {
    const gate = Promise.withResolvers<void>();
    await using cluster = await twoDaemons(() => gate.promise);
    const { a, b, runs } = cluster;
    const ids = [await create(a), await create(a)];
    await until(() => expect(runs).toHaveLength(2));
    expect(new Set(runs.map(({ daemon }) => daemon)).size).toBe(2);
    gate.resolve();
    for (const id of ids)
      expect((await follow(b.client, id)).task).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('cancels on one daemon what runs on the other', async () => {
    await using cluster = await twoDaemons(untilStopped);
    const { a, b, runs } = cluster;
    const id = await create(a);
    await until(() => expect(runs).toHaveLength(1));
    const other = runs[0]?.daemon === 0 ? b : a;
    await other.client.tasks.cancel({ params: { id } });
    const { task } = await follow(a.client, id);
    expect(task.status).toBe('cancelled');
  });

  it('follows on one daemon what runs on the other to its end', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    const id = await create(a);
    const { task, events } = await follow(b.client, id);
    expect(task.status).toBe('completed');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('creates one task for one idempotency key on both', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(index % 2 ? a : b, 'Once', 'the key')),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('ends a wait on one daemon for a task of the other without Redis', async () => {
    await using redis = await RedisServer.start();
    const gate = Promise.withResolvers<void>();
    await using cluster = await twoDaemons(() => gate.promise, redis);
    const { a, b, runs } = cluster;
    const id = await create(a);
    await until(() => expect(runs).toHaveLength(1));
    const other = runs[0]?.daemon === 0 ? b : a;
    const following = follow(other.client, id);
    const ended = new Promise<void>((resolve) => void other.app.finishWatcher.watch(id, resolve));
    await redis.kill();
    gate.resolve();
    await ended;
    expect((await following).task.status).toBe('completed');
  });

  it('shows the queue of the whole cluster on each daemon', async () => {
    const gate = Promise.withResolvers<void>();
    await using cluster = await twoDaemons(() => gate.promise);
    const { a, b, runs } = cluster;
    const ids = [await create(a), await create(a), await create(b)];
    await until(() => expect(runs).toHaveLength(2));
    for (const { client } of [a, b]) {
      const { pools, workers } = await client.queue.getStatus();
      expect(workers.tasks.concurrency).toBe(2);
      expect(pools.find(({ name }) => name === 'tasks')).toEqual({
        name: 'tasks',
        slots: 2,
        running: 2,
        waiting: 1,
        users: 1,
      });
    }
    gate.resolve();
    for (const id of ids) expect((await follow(a.client, id)).task.status).toBe('completed');
  });
});
