import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SendAgenticMessage, RunEvent } from '../../../src/contract/run-events.ts';
import { allOf } from '../../helpers/all-of.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says, useModel } from '../../helpers/model-server.ts';
import { follow, until } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

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

async function begin(
  { home, client }: Pick<TestDaemon, 'home' | 'client'> = { home: daemon.home, client: ann.client },
) {
  const { conversation } = await client.conversations.create({ body: {} });
  const folder = join(home, 'workspaces', conversation.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'The door is blue.\n');
  return { id: conversation.id, folder };
}
const run = (id: string, input: Partial<SendAgenticMessage> = {}, client = ann.client): Promise<RunEvent[]> =>
  allOf(
    client.conversations.sendAgenticMessageStream({
      params: { id },
      body: { content: 'Do it', ...input },
    }),
  );
type DataOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>['data'];
const find = <T extends RunEvent['type']>(events: RunEvent[], type: T) =>
  events.find((event) => event.type === type)?.data as DataOf<T> | undefined;
const readNotes = [{ name: 'read_file', args: { path: 'notes.txt' } }];
const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];

describe('the stream', () => {
  it('the stream sends events in order, which are stored as the answer and the events of the task', async () => {
    const { id } = await begin();
    model.script = callsTools([readNotes, writeDone], 'It is blue.');
    // A cluster has the clock of its database, which it knows but for some milliseconds.
    const before = Date.now() - 1000;
    const events = await run(id);
    expect(events.map(({ type }) => type)).toEqual([
      'user_message',
      'session:start',
      'step:start',
      'tool:call',
      'tool:result',
      'step:complete',
      'step:start',
      'tool:call',
      'tool:result',
      'step:complete',
      'step:start',
      'text:delta',
      'step:complete',
      'summary',
      'complete',
      'message_saved',
    ]);
    for (const { timestamp } of events) expect(timestamp).toBeGreaterThanOrEqual(before);
    const start = find(events, 'session:start');
    expect(start).toMatchObject({
      conversationId: id,
      provider: 'ollama',
      model: 'test-model',
      effort: 'medium',
      maxSteps: 20,
      maxBudget: null,
      timeoutMs: 180_000,
    });
    expect(find(events, 'summary')).toEqual({ summary: 'It is blue.' });
    expect(find(events, 'complete')).toEqual({
      totalTokens: 54,
      inputTokens: 33,
      outputTokens: 21,
      model: 'test-model',
      provider: 'ollama',
      toolCalls: 2,
    });
    const { messages } = await ann.client.conversations.get({ params: { id } });
    expect(messages).toMatchObject([
      { id: find(events, 'user_message')?.id, role: 'user', content: 'Do it' },
      {
        id: find(events, 'message_saved')?.id,
        content: 'It is blue.',
        usage: { totalTokens: 54 },
        toolCalls: [{ name: 'read_file' }, { name: 'write_file', status: 'success' }],
      },
    ]);
    const { task, events: kept } = await follow(ann.client, start?.taskId ?? '');
    expect(task).toMatchObject({
      status: 'completed',
      agentType: 'builtin',
      result: { output: 'It is blue.', model: 'test-model', usage: { totalTokens: 54 } },
    });
    const types = kept.filter(({ type }) => type === 'progress').map(({ data }) => data['type']);
    expect(types).toEqual(
      events.map(({ type }) => type).filter((type) => !['user_message', 'text:delta'].includes(type)),
    );
    expect(kept.find(({ type }) => type === 'output')).toMatchObject({ message: 'It is blue.' });
  });

  it('the stream has the content type and frames of server-sent events', async () => {
    const { id } = await begin();
    const response = await fetch(`${daemon.url}/api/chat/conversations/${id}/messages/agentic`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Hi' }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const frames = (await response.text()).split('\n\n').filter(Boolean);
    for (const each of frames)
      expect(JSON.parse(each.replace(/^data: /, ''))).toEqual({
        type: expect.any(String),
        data: expect.any(Object),
        timestamp: expect.any(Number),
      });
  });

  it('the stream contains the reasoning of the model, unless it is disabled', async () => {
    const { id } = await begin();
    model.script = (reply) => {
      reply.thought('Blue ');
      reply.thought('is it.');
      reply.piece('Blue');
      reply.end();
    };
    const thoughts = (await run(id)).filter(({ type }) => type.startsWith('thinking'));
    expect(thoughts.map(({ type, data }) => [type, 'text' in data && data.text])).toEqual([
      ['thinking:start', ''],
      ['thinking:update', 'Blue '],
      ['thinking:update', 'is it.'],
      ['thinking:end', 'Blue is it.'],
    ]);
    expect((await run(id, { showThinking: false })).some(({ type }) => type.startsWith('thinking'))).toBe(
      false,
    );
  });
});

describe('the limits of an agentic turn', () => {
  it.each([
    [{ effort: 'low' } as const, 5],
    [{ effort: 'max', maxSteps: 3 } as const, 3],
    [{ effort: 'low', maxSteps: 100 } as const, 5],
  ])('a limit of steps finishes the run: %o', async (input, steps) => {
    const { id } = await begin();
    model.script = callsTools(Array.from({ length: 30 }, () => readNotes));
    const events = await run(id, input);
    expect(events.filter(({ type }) => type === 'step:start')).toHaveLength(steps);
    expect(model.asked).toHaveLength(steps);
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'MAX_STEPS' } });
    const { messages } = await ann.client.conversations.get({ params: { id } });
    expect(messages.at(-1)?.toolCalls).toHaveLength(steps);
  });

  it('no further step exceeds a limit of tokens', async () => {
    const { id } = await begin();
    model.script = (reply, asked) => {
      expect(asked.body.max_tokens).toBeLessThan(2000);
      reply.event({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                {
                  index: 0,
                  id: `c${model.asked.length}`,
                  function: { name: 'list_directory', arguments: '{}' },
                },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 700, completion_tokens: 100, total_tokens: 800 },
      });
      reply.raw('data: [DONE]\n\n');
      reply.close();
    };
    const events = await run(id, { maxBudget: 2000 });
    expect(model.asked).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'BUDGET_EXCEEDED' } });
    const { task } = await follow(ann.client, find(events, 'session:start')?.taskId ?? '');
    expect(task).toMatchObject({ status: 'failed', error: { class: 'budget', code: 'budget_exceeded' } });
  });

  it('a time limit fails the run with TIMEOUT', async () => {
    await using short = await startDaemon({ sessionMs: 4000 });
    await useModel(short, model);
    const { id } = await begin(short);
    model.script = (reply) => reply.piece('Well');
    const events = await run(id, {}, short.client);
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'TIMEOUT' } });
    await until(() => expect(model.aborted).toBeGreaterThan(0));
    const { task } = await follow(short.client, find(events, 'session:start')?.taskId ?? '');
    expect(task).toMatchObject({ status: 'failed', attempts: 1, error: { class: 'timeout' } });
    expect((await short.client.conversations.get({ params: { id } })).messages[1]).toMatchObject({
      content: 'Well',
      status: 'interrupted',
      error: {
        code: 'TIMEOUT',
        message: 'Agentic mode reached its time limit of 4 s; a task has no such limit',
      },
    });
  });

  it('rejects invalid limits before anything is stored', async () => {
    const { id } = await begin();
    for (const body of [
      { maxBudget: 999 },
      { maxSteps: 0 },
      { maxSteps: 201 },
      { effort: 'huge' },
      { content: ' ' },
    ])
      await expect(run(id, body as Partial<SendAgenticMessage>)).rejects.toMatchObject({ status: 400 });
    expect((await ann.client.conversations.get({ params: { id } })).messages).toEqual([]);
  });
});

it('an agentic turn continues when the client disconnects', async () => {
  const { id } = await begin();
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  model.script = async (reply) => {
    asked.resolve();
    await left.promise;
    reply.piece('Still here');
    reply.end();
  };
  const leave = new AbortController();
  const reading = (async () => {
    for await (const { data } of ann.client.conversations.sendAgenticMessageStream(
      { params: { id }, body: { content: 'Do it' } },
      { signal: leave.signal },
    ))
      void data;
  })();
  await asked.promise;
  leave.abort();
  await expect(reading).rejects.toThrow('abort');
  left.resolve();
  await until(async () => {
    const { messages } = await ann.client.conversations.get({ params: { id } });
    expect(messages.at(-1)?.content).toBe('Still here');
  });
});

it('an agentic turn stops when its task is cancelled', async () => {
  const { id } = await begin();
  model.script = (reply) => reply.piece('Well');
  const events: RunEvent[] = [];
  for await (const { data } of ann.client.conversations.sendAgenticMessageStream({
    params: { id },
    body: { content: 'Do it' },
  })) {
    events.push(data);
    if (data.type === 'text:delta')
      await ann.client.tasks.cancel({ params: { id: find(events, 'session:start')?.taskId ?? '' } });
  }
  expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'CANCELLED' } });
});

it('an agentic turn creates no approval and denies calls that need a person', async () => {
  const { id } = await begin();
  model.script = callsTools([[{ name: 'run_command', args: { command: 'sh -c "echo hi"' } }]]);
  const events = await run(id);
  expect(find(events, 'tool:result')?.result).toMatchObject({ success: false });
  expect(find(events, 'complete')).toBeDefined();
  expect((await ann.client.approvals.list({ query: { status: 'all' } })).approvals).toEqual([]);
});

it('reports an error of the model without a retry', async () => {
  const { id } = await begin();
  model.script = (reply) => reply.json(401, { error: { message: 'bad key' } });
  const events = await run(id);
  expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'AUTH' } });
  const { task } = await follow(ann.client, find(events, 'session:start')?.taskId ?? '');
  expect(task).toMatchObject({ status: 'failed', attempts: 1, error: { class: 'auth' } });
});

it('reports when earlier messages were summarized', async () => {
  const { id } = await begin();
  await ann.client.conversations.sendMessage({
    params: { id },
    body: { content: 'A door. '.repeat(12_000) },
  });
  const events = await run(id);
  expect(find(events, 'user_message')).toMatchObject({ compactionApplied: true, messageCount: 3 });
  expect(find(await run(id), 'user_message')).toMatchObject({ compactionApplied: false });
});
