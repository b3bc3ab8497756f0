import { expect, it } from 'vitest';
import { type Runtime, systemRuntime } from '../../../src/core/runtime.ts';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';

const HOUR_MS = 3_600_000;

it.each([-HOUR_MS, HOUR_MS])(
  'a waiting retry still starts when the clock is set by %i ms',
  async (jumpMs) => {
    let offset = 0;
    const runtime: Runtime = {
      ...systemRuntime,
      now: () => new Date(Date.now() + offset),
    };
    const adapter = testAdapter(async ({ attempt }) => {
      if (attempt > 1) return { output: 'done' };
      throw new AgentFailure('network', 'away', 'The agent is away');
    });
    await using daemon = await startDaemon({
      extraAdapters: [adapter],
      runtime,
      flags: { 'queue.retry.backoff': 400 },
    });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Twice', assignedAgent: 'test' } });
    for await (const { data } of daemon.client.tasks.listEventsStream({ params: { id: task.id } }))
      if (data.type === 'retry_scheduled') offset = jumpMs;
    const ended = await follow(daemon.client, task.id);
    expect(ended.task).toMatchObject({ status: 'completed', attempts: 2 });
  },
);
