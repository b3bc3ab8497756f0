import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { openDoor } from '../../helpers/openai-door.ts';
import { addUser } from '../../helpers/users.ts';
import { failingAdapter, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';

const text = (step: number, message: string) => ({
  type: 'output' as const,
  message,
  data: { stream: 'text', step },
});
const speaking = testAdapter(
  async (run) => {
    run.emit(text(0, 'Looking'));
    run.emit(text(1, 'Found '));
    run.emit(text(1, 'it'));
    const usage = { inputTokens: 30, outputTokens: 12, totalTokens: 42 };
    return { output: `Answer to: ${run.task.prompt}`, usage };
  },
  { type: 'speaking' },
);
const held = heldAdapter({ type: 'held' });
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [
      speaking,
      held.adapter,
      { ...failingAdapter('invalid_input', 'It went wrong'), type: 'failing' },
      testAdapter(async () => ({ output: 'ran' }), { type: 'risky', needs: ['command'] }),
    ],
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const scopes = ['models:use', 'tasks:write'] as const;
const open = (more: object = {}) => openDoor(daemon, { scopes: [...scopes], ...more });
const content = (data: string) =>
  (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '';

it('answers with the result of a task', async () => {
  const door = await open();
  expect(await door.chat('agent/speaking')).toMatchObject({
    status: 200,
    body: {
      model: 'agent/speaking',
      choices: [{ message: { content: 'Answer to: Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
    },
  });
  const { tasks } = await daemon.client.tasks.list();
  expect(tasks[0]).toMatchObject({ title: 'Hi', assignedAgent: 'speaking', status: 'completed' });
});

it('gives the agent the whole conversation', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'One?' },
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'Two?' },
  ];
  const { body } = await (await open()).chat('agent/speaking', { messages });
  expect(body).toMatchObject({
    choices: [
      {
        message: {
          content:
            'Answer to: Be brief.\n\nThe conversation so far:\n\nUser: One?\n\nAssistant: One.\n\nThe next message:\n\nTwo?',
        },
      },
    ],
  });
});

it('streams what the agent says as it says it', async () => {
  const events = await (await open()).stream('agent/speaking');
  expect(events.pop()).toBe('[DONE]');
  expect(events.map(content).join('')).toBe('Looking\n\nFound it');
});

it('answers with the failure of the task, which no client repeats', async () => {
  const door = await open();
  const failed = { error: { code: 'agent_failed', message: 'It went wrong' } };
  const answer = await door.chat('agent/failing');
  expect(answer).toMatchObject({ status: 503, body: failed });
  expect(answer.headers.get('x-should-retry')).toBe('false');
  expect(JSON.parse((await door.stream('agent/failing')).at(-1) ?? '')).toMatchObject(failed);
});

it('cancels the task when the caller leaves', async () => {
  const { token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: [...scopes] } });
  const controller = new AbortController();
  const request = fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'agent/held', messages: [{ role: 'user', content: 'Wait' }] }),
    signal: controller.signal,
  });
  const left = expect(request).rejects.toThrow();
  const { run } = await held.started(0);
  controller.abort();
  await left;
  await until(async () => {
    const { task } = await daemon.client.tasks.get({ params: { id: run.task.id } });
    expect(task.status).toBe('cancelled');
  });
});

it('needs the right to create tasks, and the right to run commands where the agent does', async () => {
  const ids = async (door: Awaited<ReturnType<typeof open>>) =>
    ((await door.get('/models')).body as { data: { id: string }[] }).data.map(({ id }) => id);
  const models = await openDoor(daemon);
  expect(await models.chat('agent/speaking')).toMatchObject({ status: 403 });
  expect((await ids(models)).filter((id) => id.startsWith('agent/'))).toEqual([]);
  const tasks = await open();
  expect(await tasks.chat('agent/risky')).toMatchObject({ status: 403 });
  expect(await ids(tasks)).toContain('agent/speaking');
  expect(await ids(tasks)).not.toContain('agent/risky');
  const commands = await open({ scopes: [...scopes, 'agents:command'] });
  expect(await commands.chat('agent/risky')).toMatchObject({ status: 200 });
  expect(await ids(commands)).toContain('agent/risky');
});

it('never runs a conversation as a command, and offers agents no tools', async () => {
  const door = await open({ scopes: [...scopes, 'agents:command'] });
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ];
  expect(await door.chat('agent/command', { messages })).toMatchObject({
    status: 400,
    body: { error: { param: 'messages' } },
  });
  const tools = [{ type: 'function', function: { name: 'f' } }];
  expect(await door.chat('agent/speaking', { tools })).toMatchObject({
    status: 400,
    body: { error: { param: 'tools' } },
  });
  expect(await door.chat('agent/nobody')).toMatchObject({
    status: 404,
    body: { error: { code: 'model_not_found' } },
  });
});

it('makes tasks of the user of the token', async () => {
  const ann = await addUser(daemon, 'ann');
  const door = await openDoor({ client: ann.client, url: daemon.url }, { scopes: [...scopes] });
  expect(await door.chat('agent/speaking')).toMatchObject({ status: 200 });
  expect((await ann.client.tasks.list()).tasks).toHaveLength(1);
});
