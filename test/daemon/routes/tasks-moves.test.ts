import { describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../../src/contract/task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';

/** A daemon and a task in each state. */
async function oneOfEach() {
  const held = heldAdapter({ type: 'held' });
  const doing = testAdapter(async () => ({ output: 'done' }), { type: 'doing' });
  const failing = { ...failingAdapter('auth', 'No entry'), type: 'failing' };
  const daemon = await startDaemon({ extraAdapters: [held.adapter, doing, failing] });
  const { client } = daemon;
  const create = async (assignedAgent: string) =>
    (await client.tasks.create({ body: { title: `A task for ${assignedAgent}`, assignedAgent } })).task.id;
  const completed = await create('doing');
  const failed = await create('failing');
  await Promise.all([follow(client, completed), follow(client, failed)]);
  const in_progress = await create('held');
  const run = await held.started(0);
  const pending = await create('nobody');
  await client.queue.pause();
  const queued = await create('doing');
  const cancelled = await create('doing');
  await client.tasks.cancel({ params: { id: cancelled } });
  const ids: Record<TaskStatus, string> = { pending, queued, in_progress, completed, failed, cancelled };
  return { daemon, ids, run };
}
const statusOf = async ({ client }: TestDaemon, id: string) =>
  (await client.tasks.get({ params: { id } })).task.status;

describe('GET /api/tasks/:id', () => {
  it('shows a task in every state', async () => {
    const { daemon, ids } = await oneOfEach();
    await using _ = daemon;
    for (const [status, id] of Object.entries(ids)) {
      const { task } = await daemon.client.tasks.get({ params: { id } });
      expect(task).toMatchObject({ id, status, maxAttempts: 3 });
      const isOver = ['completed', 'failed', 'cancelled'].includes(status);
      expect(task.completedAt !== undefined, status).toBe(isOver);
      expect(task.startedAt !== undefined, status).toBe(
        ['completed', 'failed', 'in_progress'].includes(status),
      );
      expect(task.attempts, status).toBe(task.startedAt === undefined ? 0 : 1);
    }
    const { task } = await daemon.client.tasks.get({ params: { id: ids.failed } });
    expect(task.error).toEqual({ class: 'auth', code: 'test', message: 'No entry' });
  });
});

describe('POST /api/tasks/:id/cancel', () => {
  it('cancels unfinished tasks, and rejects others with their status', async () => {
    const { daemon, ids, run } = await oneOfEach();
    await using _ = daemon;
    const { client } = daemon;
    for (const status of ['pending', 'queued', 'in_progress'] as const) {
      const { message, task } = await client.tasks.cancel({ params: { id: ids[status] } });
      expect(message).toBe('Task cancelled');
      expect(task).toMatchObject({ id: ids[status], status: 'cancelled' });
      const { events } = await client.tasks.listEvents({ params: { id: ids[status] } });
      expect(events.at(-1)).toMatchObject({ type: 'cancelled', data: { from: status } });
    }
    expect(run.run.signal.aborted).toBe(true);
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const before = await client.tasks.listEvents({ params: { id: ids[status] } });
      await expect(client.tasks.cancel({ params: { id: ids[status] } })).rejects.toMatchObject({
        status: 400,
        message: `A task that is ${status} cannot be cancelled`,
      });
      expect(await statusOf(daemon, ids[status])).toBe(status);
      expect(await client.tasks.listEvents({ params: { id: ids[status] } })).toEqual(before);
    }
    await client.queue.resume();
    expect((await client.queue.getStatus()).queues.tasks).toMatchObject({
      pending: 0,
      queued: 0,
      inProgress: 0,
    });
  });

  it('a late result does not overwrite a cancellation', async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const deaf = testAdapter(async (run) => {
      started.resolve();
      await finish.promise;
      run.emit({ type: 'output', message: 'late' });
      return { output: 'late' };
    });
    await using daemon = await startDaemon({ extraAdapters: [deaf] });
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: { title: 'Deaf', assignedAgent: 'test' } });
    await started.promise;
    await client.tasks.cancel({ params: { id: task.id } });
    finish.resolve();
    // The worker takes its next task only after it has dealt with this one.
    const next = await client.tasks.create({ body: { title: 'Next', assignedAgent: 'test' } });
    await follow(client, next.task.id);
    const ended = await follow(client, task.id);
    expect(ended.task).toMatchObject({ status: 'cancelled' });
    expect(ended.task.result).toBeUndefined();
    expect(ended.events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'cancelled']);
  });

  it('only one of many simultaneous cancellations succeeds', async () => {
    await using daemon = await startDaemon();
    const { task } = await daemon.client.tasks.create({ body: { title: 'Cancel me' } });
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => daemon.client.tasks.cancel({ params: { id: task.id } })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 400 });
    const { events } = await daemon.client.tasks.listEvents({ params: { id: task.id } });
    expect(events.filter(({ type }) => type === 'cancelled')).toHaveLength(1);
  });
});

describe('POST /api/tasks/:id/retry', () => {
  it('retries a finished task as a new one, and rejects others with their status', async () => {
    const { daemon, ids } = await oneOfEach();
    await using _ = daemon;
    const { client } = daemon;
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const before = await client.tasks.get({ params: { id: ids[status] } });
      const answer = await client.tasks.retry({ params: { id: ids[status] } });
      expect(answer).toMatchObject({
        message: 'Task retried',
        originalTaskId: ids[status],
        task: { status: 'pending', retriedFrom: ids[status], title: before.task.title, attempts: 0 },
      });
      expect(answer.task.id).not.toBe(ids[status]);
      expect(answer.task.error).toBeUndefined();
      expect(await client.tasks.get({ params: { id: ids[status] } })).toEqual(before);
    }
    const { total } = await client.tasks.list();
    for (const status of ['pending', 'queued', 'in_progress'] as const)
      await expect(client.tasks.retry({ params: { id: ids[status] } })).rejects.toMatchObject({
        status: 400,
        message: `A task that is ${status} cannot be retried`,
      });
    expect((await client.tasks.list()).total).toBe(total);
  });

  it('a retried task keeps every parameter', async () => {
    await using daemon = await startDaemon();
    const body = {
      title: 'All of it',
      description: 'Why',
      prompt: 'What',
      priority: 1,
      source: 'codehost' as const,
      sourceId: '17',
      sourceUrl: 'https://example.org/17',
      repository: 'owner/repo',
      branch: 'feature/x',
      labels: ['bug', 'ünïcode'],
      assignedAgent: 'nobody',
      maxAttempts: 7,
      cwd: '/tmp',
      metadata: { deep: { list: [1, null, 'x'] } },
    };
    const { task } = await daemon.client.tasks.create({ body: { ...body, idempotencyKey: 'once' } });
    expect(task).toMatchObject(body);
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    const { task: again } = await daemon.client.tasks.retry({ params: { id: task.id } });
    expect(again).toMatchObject(body);
    expect(again.idempotencyKey).toBeUndefined();
    expect((await daemon.client.tasks.get({ params: { id: again.id } })).task).toMatchObject(body);
  });
});

describe('the attempts of a task', () => {
  it('retries the same task after a temporary failure', async () => {
    const adapter = testAdapter(async ({ attempt }) => {
      if (attempt < 3) throw new Error(`Attempt ${attempt}`);
      return { output: 'third' };
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Try', assignedAgent: 'test' } });
    const ended = await follow(daemon.client, task.id);
    expect(ended.task).toMatchObject({ status: 'completed', attempts: 3, result: { output: 'third' } });
    expect(ended.task.error).toBeUndefined();
    expect(ended.events.map(({ type }) => type)).toEqual([
      'created',
      'queued',
      'started',
      'retry_scheduled',
      'started',
      'retry_scheduled',
      'started',
      'completed',
    ]);
    expect(ended.events[3]).toMatchObject({
      message: 'Attempt 1',
      data: { class: 'unknown', attempt: 1, maxAttempts: 3 },
    });
  });

  it.each(['auth', 'quota', 'invalid_input', 'policy_denied', 'budget'] as const)(
    'does not retry a task after %s',
    async (failure) => {
      await using daemon = await startDaemon({ extraAdapters: [failingAdapter(failure)] });
      const { task } = await daemon.client.tasks.create({ body: { title: 'Try', assignedAgent: 'test' } });
      expect((await follow(daemon.client, task.id)).task).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { class: failure },
      });
    },
  );

  it('a task waits as queued until its next attempt is due', async () => {
    await using daemon = await startDaemon({
      extraAdapters: [failingAdapter('network')],
      flags: { 'queue.retry.backoff': 300_000 },
    });
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: { title: 'Try', assignedAgent: 'test' } });
    for await (const { data } of client.tasks.listEventsStream({ params: { id: task.id } }))
      if (data.type === 'retry_scheduled') break;
    const waiting = (await client.tasks.get({ params: { id: task.id } })).task;
    expect(waiting).toMatchObject({ status: 'queued', attempts: 1, error: { class: 'network' } });
    expect(Date.parse(waiting.scheduledFor ?? '') - Date.parse(waiting.updatedAt)).toBe(300_000);
    const { task: cancelled } = await client.tasks.cancel({ params: { id: task.id } });
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(cancelled.scheduledFor).toBeUndefined();
  });
});
