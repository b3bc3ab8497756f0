import { afterAll, beforeAll, expect, it } from 'vitest';
import { startModelDaemon, type ModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, says } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

let world: ModelDaemon;
beforeAll(async () => {
  world = await startModelDaemon();
});
afterAll(() => world[Symbol.asyncDispose]());

it('the trace of a task shows its queue, its attempt, its steps, calls and the wait for an approval', async () => {
  const { daemon, model } = world;
  const { tasks, approvals } = daemon.client;
  model.script = callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'private text' } }]]);
  const { task } = await tasks.create({ body: { title: 'Write' } });
  const trace = async () => (await tasks.getTrace({ params: { id: task.id } })).spans;
  await until(async () =>
    expect(await trace()).toContainEqual(expect.objectContaining({ kind: 'approval', status: 'running' })),
  );
  const [approval] = (await approvals.list()).approvals;
  await approvals.decide({ params: { id: approval?.id ?? '' }, body: { decision: 'allow-once' } });
  await follow(daemon.client, task.id);
  const spans = await trace();
  const nameOf = (id: string | undefined) => spans.find((span) => span.id === id)?.name;
  expect(spans.map(({ name, parent, status }) => [nameOf(parent), name, status])).toEqual([
    [undefined, 'task', 'ok'],
    ['task', 'queue', 'ok'],
    ['task', 'invoke_agent builtin', 'ok'],
    ['invoke_agent builtin', 'step 1', 'ok'],
    ['step 1', 'chat test-model', 'ok'],
    ['step 1', 'execute_tool write_file', 'ok'],
    ['execute_tool write_file', 'approval', 'ok'],
    ['invoke_agent builtin', 'step 2', 'ok'],
    ['step 2', 'chat test-model', 'ok'],
  ]);
  expect(JSON.stringify(spans)).not.toContain('private text');
  for (const span of spans) {
    const parent = spans.find(({ id }) => id === span.parent) ?? span;
    const from = Date.parse(span.startedAt);
    expect(from).toBeGreaterThanOrEqual(Date.parse(parent.startedAt));
    expect(from + span.durationMs).toBeLessThanOrEqual(Date.parse(parent.startedAt) + parent.durationMs);
  }
});

it('a trace of a task with more events than are read says so', async () => {
  const { daemon, model } = world;
  model.script = says('Hello');
  const { task } = await daemon.client.tasks.create({ body: { title: 'Say hello' } });
  await follow(daemon.client, task.id);
  const { database, taskStore: store } = daemon.app;
  const { TaskTraceReader } = await import('../../src/core/tasks/trace/task-trace-reader.ts');
  const { owner } = await import('../../src/core/auth/owner.ts');
  const reader = new TaskTraceReader({ database, store, runtime: { now: () => new Date() }, maxEvents: 3 });
  const { truncated, spans } = await reader.read(owner, task.id);
  expect(truncated).toBe(true);
  expect(spans.map(({ name }) => name)).toEqual(['task', 'queue', 'invoke_agent builtin']);
});
