import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
const commandToken = async () => {
  const body = { name: 'commands', scopes: [...scopes, 'agents:command' as const] };
  return (await daemon.client.tokens.create({ body })).token;
};
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

it('streams what a command prints as it prints it, each piece once, and its end with the usage', async () => {
  const command = 'printf "ä1 "; until [ -e go ]; do sleep 0.02; done; printf 2; echo not this >&2';
  const request = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await commandToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'agent/command',
      messages: [{ role: 'user', content: command }],
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  let said = '';
  const events: string[] = [];
  let rest = '';
  for await (const piece of request.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + piece).split('\n\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map((line) => line.slice('data: '.length)));
    said = events
      .filter((data) => data !== '[DONE]')
      .map(content)
      .join('');
    if (said !== 'ä1 ') continue;
    const { tasks } = await daemon.client.tasks.list();
    expect(tasks[0]).toMatchObject({ assignedAgent: 'command', status: 'in_progress' });
    writeFileSync(join(daemon.home, 'workspaces', tasks[0]?.id ?? '', 'go'), '');
  }
  expect(said).toBe('ä1 2');
  const [end, usage, done] = events.slice(-3);
  expect(done).toBe('[DONE]');
  expect(JSON.parse(usage ?? '')).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
  expect(JSON.parse(end ?? '')).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] });
});

it('streams all of a long output, of which events keep only the beginning', async () => {
  const door = await open({ scopes: [...scopes, 'agents:command'] });
  const messages = [{ role: 'user', content: 'seq 1 300000' }];
  const events = await door.stream('agent/command', { messages });
  expect(events.pop()).toBe('[DONE]');
  const numbers = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`);
  expect(events.map(content).join('') === numbers.join('')).toBe(true);
});

it('ends a stream with the failure of the command after what it printed', async () => {
  const door = await open({ scopes: [...scopes, 'agents:command'] });
  const messages = [{ role: 'user', content: 'echo before; exit 3' }];
  const events = await door.stream('agent/command', { messages });
  expect(JSON.parse(events.pop() ?? '')).toMatchObject({ error: { code: 'agent_failed' } });
  expect(events.map(content).join('')).toBe('before\n');
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
