import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { owner } from '../../src/core/auth/owner.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';

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

const look = { name: 'list_directory', args: { path: '.' } };
const taskStatus = { name: 'task_status', args: { taskId: 'task_none' } };
const lessons = async ({ client }: Pick<TestUser, 'client'> = daemon) =>
  (await client.experiences.list()).experiences;
/** What was learned about the topic, as soon as it is. */
const learned = (intent: string) =>
  until(async () => {
    const found = (await lessons()).find((each) => each.intent === intent);
    if (!found) throw new Error('It is not learned yet');
    return found;
  });
const converse = async (taskId?: string, { client }: Pick<TestUser, 'client'> = daemon) =>
  (await client.conversations.create({ body: { ...(taskId !== undefined && { taskId }) } })).conversation.id;
/** An answer that tells enough to be kept, and is like no other. */
const doneWith = (topic: string) => `There was patience in it: ${topic}.`;
/** Lets the agent call the tools, step by step, and answers its task. */
async function say(id: string, content: string, calls: Parameters<typeof callsTools>[0] = [[look]]) {
  model.script = callsTools(calls, doneWith(content));
  let taskId = '';
  const stream = daemon.client.conversations.sendAgenticMessageStream({ params: { id }, body: { content } });
  for await (const { data: event } of stream) {
    expect(event.type, JSON.stringify(event)).not.toBe('error');
    if (event.type === 'user_message') taskId = event.data.taskId ?? '';
  }
  return (await follow(daemon.client, taskId)).task;
}
const createTask = async (title: string, isTrusted: boolean) => {
  const topic = { priority: 3, source: 'api' as const, labels: [], assignedAgent: 'absent', maxAttempts: 1 };
  const { answer } = await daemon.app.tasks.createFor(
    owner,
    { title, ...topic },
    { scope: 'test', key: undefined, body: undefined, isTrusted, attach: (_, task) => task },
  );
  return answer.id;
};

describe('the trust of a lesson', () => {
  it('does not trust a lesson of a run whose tools may carry untrusted text', async () => {
    await say(await converse(), 'Count the herons of the marsh');
    expect(await learned('Count the herons of the marsh')).toMatchObject({ origin: { trusted: true } });
    await say(await converse(), 'Weigh the otters of the weir', [[look], [taskStatus], [look]]);
    expect(await learned('Weigh the otters of the weir')).toMatchObject({ origin: { trusted: false } });
  });

  it('does not trust a lesson of a run with a command outside the sandbox', async () => {
    await say(await converse(), 'List the reeds of the pond', [
      [{ name: 'run_command', args: { command: 'ls' } }],
    ]);
    expect(await learned('List the reeds of the pond')).toMatchObject({
      solution: ['run_command ls', doneWith('List the reeds of the pond')],
      origin: { trusted: hasSandbox.isWorking },
    });
  });

  it('does not trust a lesson after an earlier turn with untrusted text', async () => {
    const id = await converse();
    model.script = callsTools([[taskStatus]], 'It says: always bow to the swans');
    await daemon.client.conversations.sendMessageWithTools({
      params: { id },
      body: { content: 'Ask', securityMode: 'ask' },
    });
    await say(id, 'Feed the swans of the moat as it says');
    expect(await learned('Feed the swans of the moat as it says')).toMatchObject({
      solution: ['list_directory .', doneWith('Feed the swans of the moat as it says')],
      origin: { trusted: false },
    });
  });

  it('does not trust a lesson of a conversation about an untrusted task', async () => {
    for (const isTrusted of [true, false]) {
      const topic = isTrusted ? 'Ring the bells of the tower' : 'Prune the vines of the terrace';
      await say(await converse(await createTask(`About: ${topic}`, isTrusted)), topic);
      expect(await learned(topic)).toMatchObject({ origin: { trusted: isTrusted } });
    }
  });

  it('does not trust a lesson of a task that a model wrote', async () => {
    await daemon.client.policy.update({ body: { allowedTools: ['task_create'] } });
    const child = { name: 'task_create', args: { title: 'Gather the acorns', prompt: 'Gather the acorns' } };
    model.script = (reply, asked) => {
      const asks = asked.body.messages.find(({ role }) => role === 'user')?.content;
      const isChild = typeof asks === 'string' && asks.endsWith('Gather the acorns');
      return callsTools([[isChild ? look : child]], doneWith(isChild ? 'the oaks' : 'the squirrels'))(
        reply,
        asked,
      );
    };
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Let the squirrels help', assignedAgent: 'builtin', securityMode: 'full' },
    });
    await follow(daemon.client, task.id);
    expect(await learned('Gather the acorns')).toMatchObject({ origin: { trusted: false } });
    expect(await learned('Let the squirrels help')).toMatchObject({ origin: { trusted: true } });
  });
});

describe("an administrator's message in the conversation of another", () => {
  it('a message of an administrator in the conversation of another user uses the memory of that user, and records no lesson', async () => {
    const record = (of: 'owner' | 'ann', caller: { userId: string; role: 'user' }) =>
      daemon.app.experiences.record(caller, {
        type: 'task_solution',
        intent: `Tune the organ of the chapel by ${of}`,
        solution: [`It came right with the felt of ${of}`],
        successScore: 1,
        tags: [],
      });
    await record('owner', { userId: owner.userId, role: 'user' });
    await record('ann', { userId: ann.caller.userId, role: 'user' });
    const before = await lessons();
    const search = { name: 'memory_search', args: { query: 'Tune the organ of the chapel' } };
    const task = await say(await converse(undefined, ann), 'Tune the organ of the chapel', [
      [search],
      [look],
    ]);
    const told = JSON.stringify(model.asked.map(({ body }) => body.messages));
    expect(told).toContain('the felt of ann');
    expect(told).not.toContain('the felt of owner');
    const { entries } = await daemon.client.audit.list({ query: { limit: 50 } });
    const users = entries.filter(({ taskId }) => taskId === task.id).map(({ userId }) => userId);
    expect(new Set(users)).toEqual(new Set([ann.caller.userId]));
    // What comes after it is learned after it.
    await say(await converse(), 'Polish the pews of the nave');
    await learned('Polish the pews of the nave');
    expect(await lessons()).toHaveLength(before.length + 1);
    expect(await lessons(ann)).toHaveLength(1);
  });
});
