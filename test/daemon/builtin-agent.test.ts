import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { clearFinishedRuns } from '../../src/core/chat/runs/clear-finished-runs.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says, useModel } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

let daemon: TestDaemon;
let model: ModelServer;
let ann: TestUser;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  ann = await addUser(daemon, 'ann');
});
beforeEach(() => {
  model.script = says('Hello');
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];
/** A folder of a project, of which only an administrator may name one. */
function project() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'notes.txt'), 'The door is blue.\n');
  return cwd;
}
const eventsOf = async (id: string) => (await daemon.client.tasks.listEvents({ params: { id } })).events;

it('a task waits without a provider, says what is missing, and starts once there is one', async () => {
  await using fresh = await startDaemon();
  const { task } = await fresh.client.tasks.create({ body: { title: 'Say hello' } });
  const { events } = await fresh.client.tasks.listEvents({ params: { id: task.id } });
  expect(events.at(-1)).toMatchObject({
    type: 'waiting_for_agent',
    message:
      'The agent "builtin" is not configured: it needs a model provider: svc providers configure openai',
  });
  await useModel(fresh, model);
  const { task: done } = await follow(fresh.client, task.id);
  expect(done).toMatchObject({ status: 'completed', agentType: 'builtin', result: { output: 'Hello' } });
});

it('the built-in agent works in the folder of the task, with its title and prompt', async () => {
  const cwd = project();
  model.script = callsTools([[{ name: 'read_file', args: { path: 'notes.txt' } }]], 'Blue');
  const { task } = await daemon.client.tasks.create({
    body: { title: 'The door', prompt: 'What colour is the door?', cwd },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done).toMatchObject({
    status: 'completed',
    result: {
      output: 'Blue',
      model: 'test-model',
      usage: { inputTokens: 22, outputTokens: 14, totalTokens: 36 },
    },
  });
  const { messages } = model.asked[0]?.body ?? { messages: [] };
  expect(messages.at(-1)?.content).toBe('What colour is the door?');
  expect(JSON.stringify(model.asked[1]?.body.messages.at(-1))).toContain('The door is blue.');
});

it('the built-in agent asks before it changes a file, and continues once a person approves', async () => {
  const cwd = project();
  model.script = callsTools([writeDone]);
  const { task } = await daemon.client.tasks.create({ body: { title: 'Write', cwd } });
  await until(async () =>
    expect((await eventsOf(task.id)).map(({ type }) => type)).toContain('approval_requested'),
  );
  const asked = (await eventsOf(task.id)).find(({ type }) => type === 'approval_requested');
  expect(asked?.data).toMatchObject({
    toolName: 'write_file',
    params: { path: 'done.txt', content: 'yes' },
    cwd,
    securityLevel: 'medium',
  });
  await daemon.client.approvals.decide({
    params: { id: asked?.data['approvalId'] as string },
    body: { decision: 'allow-once' },
  });
  const { task: done, events } = await follow(daemon.client, task.id);
  expect(done.status).toBe('completed');
  expect(events.find(({ type }) => type === 'approval_decided')?.data).toMatchObject({
    decision: 'allow-once',
  });
  expect(readFileSync(join(cwd, 'done.txt'), 'utf8')).toBe('yes');
});

it('cancelling a task withdraws its approval request', async () => {
  model.script = callsTools([writeDone]);
  const { task } = await daemon.client.tasks.create({ body: { title: 'Write' } });
  await until(async () =>
    expect((await eventsOf(task.id)).map(({ type }) => type)).toContain('approval_requested'),
  );
  await daemon.client.tasks.cancel({ params: { id: task.id } });
  await until(async () => {
    const { approvals } = await daemon.client.approvals.list();
    expect(approvals.filter(({ taskId }) => taskId === task.id)).toEqual([]);
  });
});

it.each([
  ['full', 'completed', 'success'],
  ['sandbox', 'completed', 'error'],
  ['deny', 'completed', 'error'],
] as const)('runs a task in the mode %s', async (securityMode, status, call) => {
  const cwd = project();
  model.script = callsTools([writeDone]);
  const { task } = await daemon.client.tasks.create({ body: { title: 'Write', cwd, securityMode } });
  const { task: done, events } = await follow(daemon.client, task.id);
  expect(done.status).toBe(status);
  const result = events.find(({ data }) => data['type'] === 'tool:result')?.data['result'];
  expect(result).toMatchObject({ success: call === 'success' });
  const refused = {
    count: 1,
    calls: [
      {
        tool: 'write_file',
        call: 'write_file done.txt',
        reason: expect.stringContaining(securityMode),
        count: 1,
      },
    ],
  };
  expect(done.result?.refusedCalls).toEqual(call === 'success' ? undefined : refused);
  expect(events.find(({ data }) => data['type'] === 'complete')?.data['refusedCalls']).toEqual(
    done.result?.refusedCalls,
  );
});

it('a task says which calls a guard refused, and forgets one that was allowed in the end', async () => {
  const secret = { name: 'write_file', args: { path: '.env', content: 'KEY=1' } };
  const outside = { name: 'read_file', args: { path: '/etc/hostname' } };
  const unknown = { name: 'no_such_tool', args: {} };
  const invalid = { name: 'write_file', args: { path: 7 } };
  model.script = callsTools([[secret], [secret, outside, unknown, invalid], writeDone]);
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Write', cwd: project(), securityMode: 'full' },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done.result?.refusedCalls).toEqual({
    count: 2,
    calls: [
      {
        tool: 'write_file',
        call: 'write_file .env',
        reason: expect.stringContaining('(guard secret-exfiltration)'),
        count: 2,
      },
    ],
  });
});

it('the task of a user uses only the tools of the policy and the folder of the task', async () => {
  await expect(ann.client.tasks.create({ body: { title: 'Write', cwd: '/tmp' } })).rejects.toMatchObject({
    status: 403,
  });
  model.script = callsTools([writeDone]);
  const { task } = await ann.client.tasks.create({ body: { title: 'Write', securityMode: 'full' } });
  await until(async () =>
    expect((await eventsOf(task.id)).map(({ type }) => type)).toContain('approval_requested'),
  );
  const [approval] = (await ann.client.approvals.list()).approvals;
  expect(approval?.cwd).toBe(join(daemon.home, 'workspaces', task.id));
  await ann.client.approvals.decide({ params: { id: approval?.id ?? '' }, body: { decision: 'deny' } });
  const { task: done } = await follow(ann.client, task.id);
  expect(done).toMatchObject({
    status: 'completed',
    result: {
      output: 'All done',
      refusedCalls: { count: 1, calls: [{ tool: 'write_file', reason: 'A person denied this call' }] },
    },
  });
});

it('a task is retried when the vendor is unavailable, and fails on an invalid key', async () => {
  let count = 0;
  model.script = (reply, asked) =>
    ++count === 1 ? reply.json(503, { error: { message: 'busy' } }) : says('Hello')(reply, asked);
  const { task } = await daemon.client.tasks.create({ body: { title: 'Say hello' } });
  expect((await follow(daemon.client, task.id)).task).toMatchObject({ status: 'completed', attempts: 1 });
  model.script = (reply) => reply.json(401, { error: { message: 'no' } });
  const { task: refused } = await daemon.client.tasks.create({ body: { title: 'Say hello' } });
  expect((await follow(daemon.client, refused.id)).task).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: { class: 'auth' },
  });
});

it('a task summarizes its earlier steps when the context window of the model is full', async () => {
  const cwd = project();
  const long = 'A door is a door.\n'.repeat(2200);
  writeFileSync(join(cwd, 'long.txt'), long);
  const read = { name: 'read_file', args: { path: 'long.txt' } };
  let steps = 0;
  // Without tools it is asked for the summary.
  model.script = (reply, asked) =>
    asked.body.tools && steps++ < 8
      ? reply.calls(asked.body.stream, [{ ...read, id: `call_${steps}` }])
      : says(asked.body.tools ? 'All done' : 'Doors were read.')(reply, asked);
  const { task } = await daemon.client.tasks.create({ body: { title: 'Read', cwd } });
  const { task: done, events } = await follow(daemon.client, task.id);
  expect(done.status).toBe('completed');
  expect(events.some(({ data }) => data['type'] === 'compaction')).toBe(true);
  const sizes = model.asked.map(({ body }) => JSON.stringify(body.messages).length);
  expect(Math.max(...sizes)).toBeLessThan(32_000 * 4);
});

it('a run keeps no progress once it is finished', async () => {
  const { task } = await daemon.client.tasks.create({ body: { title: 'Say hello' } });
  await follow(daemon.client, task.id);
  const stateOf = async () =>
    (
      await daemon.app.database.read
        .selectFrom('agent_runs')
        .select('state')
        .where('task_id', '=', task.id)
        .executeTakeFirst()
    )?.state;
  expect(await stateOf()).toContain('Say hello');
  await clearFinishedRuns(daemon.app.database);
  expect(await stateOf()).toBeNull();
});
