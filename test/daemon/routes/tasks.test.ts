import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';

const noop = testAdapter(async () => ({ output: 'done' }));

describe('POST /api/tasks', () => {
  it('runs a task until it finishes and records every step', async () => {
    await using daemon = await startDaemon({ extraAdapters: [noop] });
    const created = await daemon.client.tasks.create({
      body: { title: 'Write docs', assignedAgent: 'test' },
    });
    expect(created.task).toMatchObject({ title: 'Write docs', status: 'pending', priority: 3, labels: [] });
    const { task, events } = await follow(daemon.client, created.task.id);
    expect(task).toMatchObject({ status: 'completed', attempts: 1, agentType: 'test' });
    expect(task.result).toMatchObject({ success: true, output: 'done' });
    expect(events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'completed']);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('answers 400 with the path of each invalid field', async () => {
    await using daemon = await startDaemon();
    const create = daemon.client.tasks.create({ body: { title: '' } });
    await expect(create).rejects.toMatchObject({
      status: 400,
      message: 'Validation failed',
      details: [{ path: 'title' }],
    });
  });

  it('a task waits with the missing labels until an agent fits, and then starts', async () => {
    await using daemon = await startDaemon({ extraAdapters: [noop] });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Somebody?' } });
    const waiting = await daemon.client.tasks.listEvents({ params: { id: task.id } });
    expect(waiting.events.map(({ type }) => type)).toEqual(['created', 'waiting_for_agent']);
    await daemon.client.config.update({ params: { key: 'agents.default' }, body: { value: 'test' } });
    const ended = await follow(daemon.client, task.id);
    expect(ended.task.status).toBe('completed');
  });
});
