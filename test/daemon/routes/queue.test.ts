import { isPro } from '../../helpers/pro.ts';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';

const create = async ({ client }: TestDaemon, title: string, priority = 3, assignedAgent = 'test') =>
  (await client.tasks.create({ body: { title, priority, assignedAgent } })).task.id;
const statusOf = async ({ client }: TestDaemon, id: string) =>
  (await client.tasks.get({ params: { id } })).task.status;

describe('GET /api/queue/status', () => {
  it('the queue status of an empty daemon matches the interface', async () => {
    await using daemon = await startDaemon();
    expect(await daemon.client.queue.getStatus()).toEqual({
      mode: isPro ? 'redis' : 'memory',
      paused: false,
      queues: { tasks: { pending: 0, queued: 0, inProgress: 0, completed: 0, failed: 0 } },
      workers: {
        tasks: { running: true, concurrency: 10 },
        notifications: { running: true, concurrency: 5 },
      },
      pools: [
        { name: 'agent:builtin', slots: 32, running: 0, waiting: 0, users: 0 },
        { name: 'agent:http', slots: 32, running: 0, waiting: 0, users: 0 },
        { name: 'interactive', slots: 32, running: 0, waiting: 0, users: 0 },
        { name: 'tasks', slots: 10, running: 0, waiting: 0, users: 0 },
      ],
      limits: { agingMs: 30_000 },
      deadLetterQueue: { pending: 0, resolved: 0, discarded: 0, total: 0 },
    });
  });

  it('the queue status counts match the stored tasks', async () => {
    const held = heldAdapter();
    const failing = { ...failingAdapter('auth'), type: 'failing' };
    await using daemon = await startDaemon({
      extraAdapters: [held.adapter, failing],
      flags: { 'queue.concurrency': 2 },
    });
    const ids = [];
    for (let index = 0; index < 5; index++) ids.push(await create(daemon, `${index}`));
    const [first = '', second = '', third = ''] = ids;
    await held.startedFor(second);
    const { succeed } = await held.startedFor(first);
    await create(daemon, 'waits', 3, 'nobody');
    const counts = async () => (await daemon.client.queue.getStatus()).queues.tasks;
    expect(await counts()).toEqual({ pending: 1, queued: 3, inProgress: 2, completed: 0, failed: 0 });
    succeed();
    await held.startedFor(third);
    await follow(daemon.client, first);
    expect(await counts()).toEqual({ pending: 1, queued: 2, inProgress: 2, completed: 1, failed: 0 });
    await daemon.client.tasks.cancel({ params: { id: ids[4] ?? '' } });
    expect(await counts()).toMatchObject({ queued: 1, inProgress: 2, completed: 1 });
    expect((await daemon.client.queue.getStatus()).workers.tasks.concurrency).toBe(2);
  });
});

describe('POST /api/queue/pause and resume', () => {
  it('a paused queue holds tasks, and then runs them by priority, oldest first', async () => {
    const order: string[] = [];
    const adapter = testAdapter(async ({ task }) => {
      order.push(task.title);
      return { output: '' };
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter], flags: { 'queue.concurrency': 1 } });
    const { client } = daemon;
    expect(await client.queue.pause()).toMatchObject({ paused: true, message: expect.stringMatching(/\w/) });
    expect(await client.queue.getStatus()).toMatchObject({
      paused: true,
      workers: { tasks: { running: false } },
    });
    const ids = [];
    for (const [title, priority] of [
      ['low', 4],
      ['a', 2],
      ['b', 2],
      ['first', 1],
      ['c', 2],
      ['normal', 3],
    ] as const)
      ids.push(await create(daemon, title, priority));
    for (const id of ids) expect(await statusOf(daemon, id)).toBe('queued');
    expect(order).toEqual([]);
    expect(await client.queue.resume()).toMatchObject({ paused: false });
    for (const id of ids) await follow(client, id);
    expect(order).toEqual(['first', 'a', 'b', 'c', 'normal', 'low']);
  });

  it('a paused queue lets running tasks continue', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await create(daemon, 'running');
    const { run, succeed } = await held.started(0);
    await daemon.client.queue.pause();
    expect(run.signal.aborted).toBe(false);
    succeed();
    expect((await follow(daemon.client, id)).task.status).toBe('completed');
  });

  it('a paused queue holds the next attempt too', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await create(daemon, 'fails once');
    const { fail } = await held.started(0);
    await daemon.client.queue.pause();
    fail(new Error('once'));
    for await (const { data } of daemon.client.tasks.listEventsStream({ params: { id } }))
      if (data.type === 'retry_scheduled') break;
    expect(await statusOf(daemon, id)).toBe('queued');
    expect(held.runs).toHaveLength(1);
    await daemon.client.queue.resume();
    (await held.started(1)).succeed();
    expect((await follow(daemon.client, id)).task).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('a paused queue survives a restart', async () => {
    const held = heldAdapter();
    const first = await startDaemon();
    await first.client.queue.pause();
    const id = await create(first, 'waits', 3, 'command');
    expect(await statusOf(first, id)).toBe('queued');
    await first.stop();
    await using second = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
    expect((await second.client.queue.getStatus()).paused).toBe(true);
    expect(await statusOf(second, id)).toBe('queued');
    await second.client.queue.resume();
    expect((await follow(second.client, id)).events.map(({ type }) => type)).toContain('started');
    await second.stop();
    await using third = await startDaemon({ home: first.home });
    expect((await third.client.queue.getStatus()).paused).toBe(false);
  });

  it('pause and resume may be repeated', async () => {
    await using daemon = await startDaemon();
    for (const paused of [true, true, false, false]) {
      await (paused ? daemon.client.queue.pause() : daemon.client.queue.resume());
      expect((await daemon.client.queue.getStatus()).paused).toBe(paused);
    }
  });
});
