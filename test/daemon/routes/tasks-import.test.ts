import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/contract/task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, testAdapter } from '../../helpers/tasks.ts';

const doing = testAdapter(async () => ({
  output: 'done',
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
}));
const adapters = [doing, { ...failingAdapter('auth'), type: 'failing' }];

/** Tasks in every state that lasts. */
async function fill({ client }: TestDaemon) {
  const create = async (title: string, assignedAgent: string) =>
    (
      await client.tasks.create({
        body: {
          title,
          assignedAgent,
          description: 'Ünïcode \u{1F600}\nand lines',
          labels: ['x', '"'],
          metadata: { a: { b: [null, 1.5, 'c'] } },
          sourceUrl: 'https://example.org/?a=b&c',
          repository: 'o/r',
          branch: 'b',
          maxAttempts: 2,
        },
      })
    ).task.id;
  await follow(client, await create('completed', 'test'));
  await follow(client, await create('failed', 'failing'));
  await client.tasks.cancel({ params: { id: await create('cancelled', 'nobody') } });
  await create('pending', 'nobody');
  await client.queue.pause();
  await create('queued', 'test');
}
const sample = (change: object = {}) => ({
  id: 'task_sample',
  title: 'Sample',
  status: 'completed',
  createdAt: '2026-01-02T03:04:05.678Z',
  ...change,
});
const importTasks = ({ client }: TestDaemon, tasks: unknown[]) =>
  client.tasks.import({ body: { version: '1', tasks } });

describe('GET /api/tasks/export', () => {
  it('exports all tasks as one document to download', async () => {
    await using daemon = await startDaemon({ extraAdapters: adapters });
    await fill(daemon);
    const response = await fetch(`${daemon.url}/api/tasks/export`, { headers: daemon.headers });
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="/);
    expect(response.headers.get('content-type')).toContain('application/json');
    const document = (await response.json()) as { tasks: Task[] };
    expect(document).toMatchObject({ version: '1', exportedAt: expect.any(String), taskCount: 5 });
    for (const task of document.tasks)
      expect((await daemon.client.tasks.get({ params: { id: task.id } })).task).toEqual(task);
  });

  it('exports no tasks, and more tasks than one batch', async () => {
    await using daemon = await startDaemon();
    expect(await daemon.client.tasks.export()).toMatchObject({ taskCount: 0, tasks: [] });
    await importTasks(
      daemon,
      Array.from({ length: 450 }, (_, index) => sample({ id: `task_${index}` })),
    );
    const { taskCount, tasks } = await daemon.client.tasks.export();
    expect(taskCount).toBe(450);
    expect(tasks.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, index) => `task_${index}`));
  });
});

describe('POST /api/tasks/import', () => {
  it('imports finished tasks unchanged, and holds the others', async () => {
    await using source = await startDaemon({ extraAdapters: adapters });
    await fill(source);
    const exported = await source.client.tasks.export();
    await using target = await startDaemon({ extraAdapters: adapters });
    const report = await target.client.tasks.import({ body: exported });
    expect(report).toEqual({ message: expect.stringMatching(/\w/), imported: 5, skipped: 0, errors: [] });
    for (const ran of exported.tasks) {
      // Where it ran is no daemon of this cluster.
      const task = { ...ran, daemon: undefined };
      const { task: copy } = await target.client.tasks.get({ params: { id: task.id } });
      if (task.completedAt !== undefined) expect(copy).toEqual(task);
      else expect(copy).toEqual({ ...task, status: 'pending', held: true, attempts: 0 });
    }
    const { queues, deadLetterQueue } = await target.client.queue.getStatus();
    expect(queues.tasks).toEqual({ pending: 2, queued: 0, inProgress: 0, completed: 1, failed: 1 });
    expect(deadLetterQueue.total).toBe(0);
    const again = await target.client.tasks.import({ body: exported });
    expect(again).toMatchObject({ imported: 0, skipped: 5, errors: [] });
    const second = await target.client.tasks.export();
    expect((await target.client.tasks.import({ body: second })).skipped).toBe(5);
    expect(await target.client.tasks.getAnalytics()).toMatchObject({
      byAgent: { test: { completed: 1, count: 1 }, failing: { failed: 1, count: 1 } },
      successRate: 0.5,
    });
  });

  it('reports the invalid tasks of an import, and imports the others', async () => {
    await using daemon = await startDaemon();
    const { errors, ...counts } = await importTasks(daemon, [
      sample(),
      sample({ id: '../../etc' }),
      sample({ id: 'task_2', title: '' }),
      sample({ id: 'task_3', status: 'done' }),
      'text',
      null,
      sample({ id: 'task_4', createdAt: 'yesterday' }),
      sample({ id: 'task_5', metadata: [] }),
      sample({ id: 'task_6', status: 'failed', error: { class: 'auth', code: 'x', message: 'y' } }),
      sample({ title: 'The same id' }),
    ]);
    expect(counts).toMatchObject({ imported: 2, skipped: 1 });
    expect(errors.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { error } of errors) expect(error).toMatch(/\w/);
    expect(errors[1]?.error).toMatch(/^title: /);
    expect((await daemon.client.tasks.list()).total).toBe(2);
    expect((await daemon.client.tasks.get({ params: { id: 'task_sample' } })).task.title).toBe('Sample');
  });

  it.each([
    [{ tasks: [] }],
    [{ version: '2', tasks: [] }],
    [{ version: 1, tasks: [] }],
    [{ version: '1' }],
    [{ version: '1', tasks: {} }],
  ])('rejects the import %j', async (body) => {
    await using daemon = await startDaemon();
    await expect(daemon.client.tasks.import({ body: body as never })).rejects.toMatchObject({ status: 400 });
  });

  it('accepts an import larger than the usual body limit', async () => {
    await using daemon = await startDaemon();
    const prompt = 'x'.repeat(150_000);
    const tasks = Array.from({ length: 20 }, (_, index) => sample({ id: `task_${index}`, prompt }));
    expect(await importTasks(daemon, tasks)).toMatchObject({ imported: 20 });
  });

  it('finds imported tasks by their text and in every order', async () => {
    await using daemon = await startDaemon();
    await importTasks(daemon, [
      sample({ id: 'b', title: 'Second', createdAt: '2026-01-02T00:00:00.000Z' }),
      sample({ id: 'a', title: 'First', createdAt: '2026-01-01T00:00:00.000Z' }),
      sample({ id: 'c', title: 'Third', createdAt: '2026-01-02T00:00:00.500Z' }),
    ]);
    const { tasks } = await daemon.client.tasks.filter({ query: { sortOrder: 'asc' } });
    expect(tasks.map(({ title }) => title)).toEqual(['First', 'Second', 'Third']);
    expect((await daemon.client.tasks.filter({ query: { q: 'third' } })).total).toBe(1);
  });

  it('sorts times in different notations correctly', async () => {
    await using daemon = await startDaemon();
    await importTasks(daemon, [
      sample({ id: 'a', title: 'First', createdAt: '2026-01-02T00:00:00Z' }),
      sample({ id: 'b', title: 'Second', createdAt: '2026-01-02T00:00:00.500Z' }),
    ]);
    const { tasks } = await daemon.client.tasks.filter({ query: { sortOrder: 'asc' } });
    expect(tasks.map(({ title }) => title)).toEqual(['First', 'Second']);
    for (const task of tasks) expect(task.createdAt).toMatch(/\.\d{3}Z$/);
  });
});

describe('POST /api/tasks/:id/release', () => {
  it('a released task runs once', async () => {
    await using daemon = await startDaemon({ extraAdapters: [doing] });
    const { client } = daemon;
    await importTasks(daemon, [
      sample({ id: 'waiting', status: 'in_progress', assignedAgent: 'test', attempts: 2 }),
      sample({ id: 'over' }),
    ]);
    expect((await client.tasks.get({ params: { id: 'waiting' } })).task).toMatchObject({
      status: 'pending',
      held: true,
    });
    const { message, task } = await client.tasks.release({ params: { id: 'waiting' } });
    expect(message).toMatch(/\w/);
    expect(task).not.toHaveProperty('held');
    expect((await follow(client, 'waiting')).task).toMatchObject({ status: 'completed', attempts: 1 });
    for (const id of ['waiting', 'over'])
      await expect(client.tasks.release({ params: { id } })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('completed'),
      });
    const { task: own } = await client.tasks.create({ body: { title: 'Not imported' } });
    await expect(client.tasks.release({ params: { id: own.id } })).rejects.toMatchObject({ status: 400 });
  });

  it('an imported task stays held after a restart and with a new agent', async () => {
    const first = await startDaemon();
    await importTasks(first, [sample({ id: 'held', status: 'queued' })]);
    await first.client.config.update({ params: { key: 'agents.default' }, body: { value: 'command' } });
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect((await second.client.tasks.get({ params: { id: 'held' } })).task).toMatchObject({
      status: 'pending',
      held: true,
    });
    const { task } = await second.client.tasks.cancel({ params: { id: 'held' } });
    expect(task.status).toBe('cancelled');
  });
});
