import { afterEach, expect, it } from 'vitest';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';

const daemons: TestDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon[Symbol.asyncDispose]();
});

/** A daemon whose agent meets an outage as often as told. */
async function world(failures: number, flags: Record<string, number> = {}) {
  let left = failures;
  const keys: string[] = [];
  const adapter = testAdapter(async ({ runKey }) => {
    keys.push(runKey);
    if (left-- <= 0) return { output: 'done' };
    throw new AgentFailure('network', 'overloaded', 'The provider is overloaded', { isOutage: true });
  });
  const daemon = await startDaemon({
    extraAdapters: [adapter],
    flags: { 'queue.retry.backoff': 1, ...flags },
  });
  daemons.push(daemon);
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Ask', assignedAgent: 'test', maxAttempts: 1 },
  });
  return { daemon, keys, ...(await follow(daemon.client, task.id)) };
}

it('an outage uses up no attempt and makes no dead letter', async () => {
  const { daemon, task, events, keys } = await world(6);
  expect(task).toMatchObject({ status: 'completed', attempts: 1, maxAttempts: 1 });
  expect(task.error).toBeUndefined();
  const waits = events.filter(({ type }) => type === 'retry_scheduled');
  expect(waits).toHaveLength(6);
  const [first] = waits;
  expect(first?.data).toMatchObject({ class: 'network', code: 'overloaded', outageSince: first?.at });
  expect(Date.parse(`${first?.data['at'] as string}`) - Date.parse(first?.at ?? '')).toBe(
    first?.data['delayMs'],
  );
  expect(new Set(waits.map((wait) => wait.data['outageSince'])).size).toBe(1);
  expect(waits.map(({ data }) => [data['waitsFor'], data['isNewWait']])).toEqual([
    ['outage', true],
    ...Array.from({ length: 5 }, () => ['outage', false]),
  ]);
  expect(new Set(keys).size).toBe(7);
  expect((await daemon.client.dlq.list()).total).toBe(0);
});

it('an outage that lasts too long fails the task after its attempts', async () => {
  const { daemon, task } = await world(1_000_000, { 'queue.retry.outage': 50 });
  expect(task).toMatchObject({ status: 'failed', attempts: 1, error: { class: 'network' } });
  expect((await daemon.client.dlq.list()).items).toMatchObject([{ taskId: task.id, attempts: 1 }]);
});
