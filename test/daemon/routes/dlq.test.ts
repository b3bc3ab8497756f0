import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, testAdapter } from '../../helpers/tasks.ts';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';

async function fail({ client }: TestDaemon, title = 'Will fail') {
  const { task } = await client.tasks.create({ body: { title, assignedAgent: 'test' } });
  return (await follow(client, task.id)).task;
}
async function onlyItem({ client }: TestDaemon) {
  const { items, total } = await client.dlq.list();
  expect(total).toBe(1);
  expect(items).toHaveLength(1);
  const [item] = items;
  if (!item) throw new Error('There is no dead letter');
  return item;
}

describe('a task that failed all its attempts', () => {
  it('a task that failed all its attempts is in the dead-letter queue, and its owner is notified', async () => {
    let attempt = 0;
    const adapter = testAdapter(async () => {
      throw new AgentFailure('network', 'down', `Failure ${++attempt}`);
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    const task = await fail(daemon);
    expect(task).toMatchObject({ status: 'failed', attempts: 3 });
    const item = await onlyItem(daemon);
    expect(item).toMatchObject({
      taskId: task.id,
      title: 'Will fail',
      attempts: 3,
      class: 'network',
      firstError: 'Failure 1',
      lastError: 'Failure 3',
      status: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
    expect(await daemon.client.dlq.get({ params: { id: item.id } })).toEqual({ item });
    const { notifications, unread } = await daemon.client.notifications.list();
    expect(unread).toBe(1);
    expect(notifications).toEqual([
      expect.objectContaining({
        type: 'task_dead_lettered',
        taskId: task.id,
        message: 'Failure 3',
        data: { deadLetterId: item.id, class: 'network', attempts: 3 },
      }),
    ]);
    expect((await daemon.client.queue.getStatus()).deadLetterQueue).toEqual({
      pending: 1,
      resolved: 0,
      discarded: 0,
      total: 1,
    });
  });
});

describe('POST /api/dlq/:id/retry', () => {
  it('retries the same task with all its attempts, and creates a new dead letter when it fails again', async () => {
    const attempts: number[] = [];
    const adapter = testAdapter(async ({ attempt }) => {
      attempts.push(attempt);
      throw new AgentFailure('agent_error', 'no', 'No');
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    const { client } = daemon;
    const task = await fail(daemon);
    const first = await onlyItem(daemon);
    await client.queue.pause();
    const answer = await client.dlq.retry({ params: { id: first.id } });
    expect(answer).toMatchObject({
      message: expect.stringMatching(/\w/),
      item: { id: first.id, status: 'resolved', resolution: 'retried', resolvedAt: expect.any(String) },
    });
    const revived = (await client.tasks.get({ params: { id: task.id } })).task;
    expect(revived).toMatchObject({ status: 'queued', attempts: 0 });
    expect(revived.completedAt).toBeUndefined();
    expect(revived.error).toBeUndefined();
    expect((await client.dlq.list()).total).toBe(0);
    await client.queue.resume();
    const again = await follow(client, task.id);
    expect(again.task).toMatchObject({ status: 'failed', attempts: 3 });
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
    expect(again.events.map(({ seq }) => seq)).toEqual(again.events.map((_, index) => index + 1));
    const second = await onlyItem(daemon);
    expect(second).toMatchObject({ taskId: task.id, status: 'pending' });
    expect(second.id).not.toBe(first.id);
    expect(await client.dlq.list({ query: { status: 'all' } })).toMatchObject({ total: 2 });
    expect((await client.tasks.list()).total).toBe(1);
  });

  it('only one of many simultaneous retries succeeds', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')] });
    const task = await fail(daemon);
    const { id } = await onlyItem(daemon);
    await daemon.client.queue.pause();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => daemon.client.dlq.retry({ params: { id } })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ status: 400, message: 'This dead letter is already resolved' });
    const { events } = await daemon.client.tasks.listEvents({ params: { id: task.id } });
    expect(events.filter(({ type }) => type === 'requeued')).toHaveLength(1);
  });
});

describe('discard and resolve', () => {
  it.each([
    ['discard', 'discarded', undefined],
    ['resolve', 'resolved', 'manual'],
  ] as const)('%s resolves the dead letter and leaves the task failed', async (what, status, resolution) => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')] });
    const task = await fail(daemon);
    const { id } = await onlyItem(daemon);
    const { item, message } =
      what === 'discard'
        ? await daemon.client.dlq.discard({ params: { id } })
        : await daemon.client.dlq.resolve({ params: { id }, body: { note: 'By hand' } });
    expect(message).toMatch(/\w/);
    expect(item).toMatchObject({ id, status, resolvedAt: expect.any(String) });
    expect(item.resolution).toBe(resolution);
    expect(item.note).toBe(what === 'resolve' ? 'By hand' : undefined);
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('failed');
    const { deadLetterQueue } = await daemon.client.queue.getStatus();
    expect(deadLetterQueue).toEqual({ pending: 0, resolved: 0, discarded: 0, total: 1, [status]: 1 });
    const again = await Promise.allSettled([
      daemon.client.dlq.retry({ params: { id } }),
      daemon.client.dlq.discard({ params: { id } }),
      daemon.client.dlq.resolve({ params: { id }, body: {} }),
    ]);
    const reason = { status: 400, message: `This dead letter is already ${status}` };
    for (const each of again) expect(each).toMatchObject({ status: 'rejected', reason });
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('failed');
  });

  it('resolves a dead letter without a body', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')] });
    await fail(daemon);
    const { id } = await onlyItem(daemon);
    const response = await fetch(`${daemon.url}/api/dlq/${id}/resolve`, {
      method: 'POST',
      headers: daemon.headers,
    });
    expect(await response.json()).toMatchObject({ item: { status: 'resolved' } });
    expect(response.status).toBe(200);
  });

  it('rejects a note that is too long', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')] });
    await fail(daemon);
    const { id } = await onlyItem(daemon);
    const resolve = daemon.client.dlq.resolve({ params: { id }, body: { note: 'x'.repeat(2001) } });
    await expect(resolve).rejects.toMatchObject({ status: 400, details: [{ path: 'note' }] });
    expect((await onlyItem(daemon)).status).toBe('pending');
  });
});

describe('GET /api/dlq', () => {
  it('lists dead letters newest first, paged by limit and offset and filtered by status', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')] });
    const { client } = daemon;
    for (const title of ['a', 'b', 'c', 'd', 'e']) await fail(daemon, title);
    const titles = async (query: NonNullable<Parameters<typeof client.dlq.list>[0]>['query']) =>
      (await client.dlq.list({ ...(query && { query }) })).items.map(({ title }) => title).join('');
    expect(await titles({})).toBe('edcba');
    expect(await titles({ limit: 2 })).toBe('ed');
    expect(await titles({ limit: 2, offset: 2 })).toBe('cb');
    expect(await titles({ offset: 5 })).toBe('');
    const { items } = await client.dlq.list();
    await client.dlq.discard({ params: { id: items[0]?.id ?? '' } });
    await client.dlq.resolve({ params: { id: items[1]?.id ?? '' }, body: {} });
    expect(await titles({})).toBe('cba');
    expect(await titles({ status: 'discarded' })).toBe('e');
    expect(await titles({ status: 'resolved' })).toBe('d');
    expect(await titles({ status: 'all' })).toBe('edcba');
    expect((await client.dlq.list({ query: { status: 'all', limit: 1 } })).total).toBe(5);
    for (const query of [{ limit: 0 }, { limit: 501 }, { offset: -1 }])
      await expect(client.dlq.list({ query })).rejects.toMatchObject({ status: 400 });
  });
});
