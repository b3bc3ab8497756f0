import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpProgram, withAgents } from '../../helpers/agents/acp-settings.ts';
import { a2aFlags, callRaw, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter, testAdapter } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const quick = testAdapter(async () => ({ output: 'done' }));
const held = heldAdapter({ type: 'held' });
let daemon: TestDaemon;
let headers: Record<string, string>;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [quick, held.adapter],
    flags: {
      ...a2aFlags,
      ...withAgents({ demo: acpProgram(), other: acpProgram() }),
      'agents.default': 'test',
    },
  });
  ({ headers } = await tokenOf(daemon, ['tasks:write', 'gateway:write', 'agents:command']));
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Task {
  id: string;
  contextId: string;
  status: { state: string };
  metadata?: { continues: string };
}
async function send(
  message: object,
  own: Record<string, string> = headers,
  configuration?: object,
): Promise<Task> {
  const { body } = await callRaw(daemon, own, 'SendMessage', {
    message: { role: 'ROLE_USER', messageId: crypto.randomUUID(), parts: [{ text: 'Go on' }], ...message },
    configuration,
  });
  expect(body.error).toBeUndefined();
  return body.result?.['task'] as Task;
}
const start = async (contextId: string, skill = 'demo') => {
  const task = await send({ contextId, metadata: { skill } });
  expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  expect(task).not.toHaveProperty('metadata');
  return task;
};
const stored = async (id: string) => (await daemon.client.tasks.get({ params: { id } })).task;

describe('a message in a context', () => {
  it('continues the session of the task that finished last', async () => {
    const contextId = crypto.randomUUID();
    const first = await start(contextId);
    const second = await send({ contextId });
    expect(second).toMatchObject({
      contextId,
      status: { state: 'TASK_STATE_COMPLETED' },
      metadata: { continues: first.id },
    });
    expect(await stored(second.id)).toMatchObject({ continues: first.id, agentType: 'demo' });
    const third = await send({ contextId, metadata: { skill: 'demo' } });
    expect(third.metadata).toEqual({ continues: second.id });
    const sessions = await Promise.all(
      [first, second, third].map(({ id }) => daemon.client.tasks.get({ params: { id } })),
    );
    expect(new Set(sessions.map(({ session }) => session?.id)).size).toBe(1);
    const read = await callRaw(daemon, headers, 'GetTask', { id: third.id });
    expect(read.body.result).toMatchObject({ metadata: { continues: second.id } });
  });

  it('continues the task that it refers to, and joins its context', async () => {
    const contextId = crypto.randomUUID();
    const first = await start(contextId);
    const other = await start(contextId, 'other');
    const referred = await send({ referenceTaskIds: ['task_of_another_service', first.id] });
    expect(referred).toMatchObject({ contextId, metadata: { continues: first.id } });
    expect((await send({ contextId, referenceTaskIds: [other.id] })).metadata).toEqual({
      continues: other.id,
    });
    const elsewhere = await send({ contextId: crypto.randomUUID(), referenceTaskIds: [first.id] });
    expect(elsewhere).not.toHaveProperty('metadata');
  });

  it('is a task of its own where there is nothing to continue', async () => {
    const contextId = crypto.randomUUID();
    await start(contextId, 'test');
    expect(await send({ contextId })).not.toHaveProperty('metadata');
    await start(contextId);
    expect(await send({ contextId, metadata: { skill: 'other' } })).not.toHaveProperty('metadata');
    const first = await start(crypto.randomUUID());
    const { headers: weaker } = await tokenOf(daemon);
    const weak = await send({ contextId: first.contextId }, weaker);
    expect(weak).not.toHaveProperty('metadata');
    expect(await stored(weak.id)).toMatchObject({ agentType: 'test' });
  });

  it('continues a task once where several messages come at the same moment', async () => {
    const first = await start(crypto.randomUUID());
    const { queue } = daemon.client;
    await queue.pause();
    const sendNow = () => send({ contextId: first.contextId }, headers, { returnImmediately: true });
    const tasks = await Promise.all(Array.from({ length: 5 }, sendNow));
    await queue.resume();
    expect(tasks.filter(({ metadata }) => metadata?.continues === first.id)).toHaveLength(1);
    expect(tasks.filter(({ metadata }) => metadata === undefined)).toHaveLength(4);
    expect(new Set(tasks.map(({ contextId }) => contextId))).toEqual(new Set([first.contextId]));
  });

  it('continues in a folder that stays, or is a task of its own once that is gone', async () => {
    const first = await start(crypto.randomUUID());
    const cwd = temporaryFolder();
    await daemon.app.database.write(({ db }) =>
      db.updateTable('task_sessions').set({ cwd }).where('task_id', '=', first.id).execute(),
    );
    const second = await send({ contextId: first.contextId });
    expect(await stored(second.id)).toMatchObject({ continues: first.id, cwd });
    rmSync(cwd, { recursive: true });
    expect(await send({ contextId: first.contextId })).not.toHaveProperty('metadata');
  });

  it('never continues a task of another user, or one that did not come from an agent', async () => {
    const first = await start(crypto.randomUUID());
    const other = await addUser(daemon, 'other', 'admin');
    const { headers: theirs } = await tokenOf(
      daemon,
      ['tasks:write', 'gateway:write', 'agents:command'],
      other.caller,
    );
    const message = { contextId: first.contextId, referenceTaskIds: [first.id] };
    const own = await send(message, theirs);
    expect(own).not.toHaveProperty('metadata');
    expect((await send({ referenceTaskIds: [first.id] }, theirs)).contextId).not.toBe(first.contextId);
    // Their task in a context of the same name changes nothing for its owner either.
    expect((await send(message)).metadata).toEqual({ continues: first.id });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Mine', assignedAgent: 'demo' } });
    await daemon.client.tasks.cancel({ params: { id: task.id } }).catch(() => undefined);
    expect(await send({ referenceTaskIds: [task.id] })).not.toHaveProperty('metadata');
  });

  it('is refused where it names a task that has finished', async () => {
    const { id: taskId, contextId } = await start(crypto.randomUUID());
    const { body } = await callRaw(daemon, headers, 'SendMessage', {
      message: { role: 'ROLE_USER', messageId: 'm', parts: [{ text: 'More' }], taskId, contextId },
    });
    expect(body.error).toMatchObject({ code: -32_004, message: expect.stringContaining('has finished') });
  });
});
