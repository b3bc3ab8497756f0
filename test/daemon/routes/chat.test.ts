import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/contract/server-sent-events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { type ModelServer, says, type Script, startModelServer } from '../../helpers/model-server.ts';
import { until } from '../../helpers/tasks.ts';

const lines: string[] = [];
const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const key = 'sk-canary0001planted7secret';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  daemon = await startDaemon({ log: { ...silentLog, info: note, warn: note, error: note } });
  await configure();
});
/** Anew, which also forgets how often it failed. */
const configure = () =>
  daemon.client.providers.configure({
    params: { type: 'together' },
    body: { apiKey: key, baseUrl: model.url, defaultModel: 'test-model' },
  });
beforeEach(() => {
  model.script = says('Hel', 'lo');
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const messages = [{ role: 'user' as const, content: 'Hi' }];
const usage = { promptTokens: 11, completionTokens: 7, totalTokens: 18 };
const complete = (body: object = {}) =>
  send(daemon, 'POST', '/api/chat/completions', { messages, ...body }, daemon.headers);
const open = (signal?: AbortSignal, body: object = { stream: true }) =>
  fetch(`${daemon.url}/api/chat/completions`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ messages, ...body }),
    ...(signal && { signal }),
  });

describe('a completion', () => {
  it('a completion returns the answer of the model', async () => {
    const answer = await daemon.client.chat.createCompletion({
      body: { messages, systemPrompt: 'Be short.' },
    });
    expect(answer).toMatchObject({
      provider: 'together',
      model: 'test-model',
      message: { role: 'assistant', content: 'Hello' },
      finishReason: 'stop',
      usage,
    });
    expect(model.asked).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${key}` },
        body: {
          model: 'test-model',
          messages: [{ role: 'system', content: 'Be short.' }, { role: 'user' }],
        },
      },
    ]);
  });

  it('a completion may name its model', async () => {
    const { model: used } = await daemon.client.chat.createCompletion({
      body: { messages, model: 'together/other' },
    });
    expect(used).toBe('other');
    expect(model.asked[0]?.body.model).toBe('other');
  });

  it('a completion may be quick or smart', async () => {
    expect(await daemon.client.chat.createQuickCompletion({ body: { prompt: 'Hi' } })).toMatchObject({
      content: 'Hello',
      usage,
    });
    // One that does not run, since its agent would ask the model too.
    const body = { title: 'Fix the door', assignedAgent: 'http' };
    const { task } = await daemon.client.tasks.create({ body });
    const smart = await daemon.client.chat.createSmartCompletion({ body: { messages, taskId: task.id } });
    expect(smart).toMatchObject({
      message: { content: 'Hello' },
      context: { presetId: 'assistant', taskId: task.id, ticketId: null, memory: [] },
    });
    expect(JSON.stringify(model.asked[1]?.body.messages)).toContain('Title: Fix the door');
  });

  it('a completion is aborted soon after its client disconnects', async () => {
    const asked = Promise.withResolvers<void>();
    model.script = () => asked.resolve();
    const gone = new AbortController();
    const before = model.aborted;
    const answer = open(gone.signal, {});
    await asked.promise;
    gone.abort();
    await expect(answer).rejects.toThrow('abort');
    await until(() => expect(model.aborted).toBe(before + 1));
  });
});

describe('a streamed completion', () => {
  it('a streamed completion is bare data lines, byte for byte', async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(
      'data: {"content":"Hel"}\n\ndata: {"content":"lo"}\n\n' +
        'data: {"done":true,"usage":{"promptTokens":11,"completionTokens":7,"totalTokens":18},"finishReason":"stop"}\n\n',
    );
  });

  it('streams each part as the model sends it, without its reasoning', async () => {
    const go = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    model.script = async (reply) => {
      reply.thought('Hmm');
      reply.piece('first');
      await go[0]?.promise;
      reply.piece('second');
      await go[1]?.promise;
      reply.end('length');
    };
    const stream = daemon.client.chat.createCompletionStream({ body: { messages } });
    const next = async () => (await stream.next()).value?.data;
    expect(await next()).toEqual({ content: 'first' });
    go[0]?.resolve();
    expect(await next()).toEqual({ content: 'second' });
    go[1]?.resolve();
    expect(await next()).toEqual({ done: true, usage, finishReason: 'length' });
    expect(await next()).toBeUndefined();
  });

  it('a streamed completion is the same for every client, however its bytes are split', async () => {
    const text = 'Grüße, 漢字 👍\n\ndata: {"done":true}\n\nline\u2028separator';
    model.script = async (reply) => {
      const piece = JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: text } }] });
      for (const byte of Buffer.from(`data: ${piece}\n\n`)) reply.raw(Uint8Array.of(byte));
      reply.end();
    };
    const expected = [{ content: text }, { done: true, usage, finishReason: 'stop' }];
    const own: unknown[] = [];
    for await (const { data } of readServerSentEvents((await open()).body ?? neverRead())) own.push(data);
    const others = await (await open()).text();
    const parsed: unknown[] = [];
    createParser({ onEvent: ({ data }) => void parsed.push(JSON.parse(data)) }).feed(others);
    const byLine = others
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as unknown);
    expect([own, parsed, byLine]).toEqual([expected, expected, expected]);
  });

  it('a streamed completion is aborted soon after its client disconnects', async () => {
    model.script = (reply) => reply.piece('first');
    const gone = new AbortController();
    const before = model.aborted;
    const reader = (await open(gone.signal)).body?.getReader();
    await reader?.read();
    gone.abort();
    await until(() => expect(model.aborted).toBe(before + 1));
  });

  const broken: [name: string, script: Script][] = [
    [
      'an error',
      (reply) =>
        reply.event({ error: { message: `Overloaded ${key}`, type: 'overloaded_error', code: 529 } }),
    ],
    ['a cut', (reply) => reply.cut()],
    ['an end too soon', (reply) => reply.close()],
    ['something that is no JSON', (reply) => (reply.raw('data: {"choices\n\n'), reply.close())],
  ];
  it.each(broken)('a stream that starts with %s is an error with a status', async (_, script) => {
    await configure();
    model.script = async (reply, asked) => {
      reply.thought('Hmm');
      await script(reply, asked);
    };
    const response = await open();
    expect([400, 503]).toContain(response.status);
    expect(response.headers.get('content-type')).toContain('application/json');
    const answer = await response.text();
    expect(JSON.parse(answer)).toMatchObject({ error: expect.stringMatching(/Together/i) });
    expect(answer).not.toContain(key);
  });

  it.each(broken)('a stream that continues with %s finishes with the error', async (_, script) => {
    await configure();
    const seen = Promise.withResolvers<void>();
    model.script = async (reply, asked) => {
      reply.piece('Hel');
      await seen.promise;
      await script(reply, asked);
    };
    const response = await open();
    seen.resolve();
    const text = await response.text();
    expect(text).not.toContain(key);
    const frames = text
      .trimEnd()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.slice(6)) as unknown);
    expect(response.status).toBe(200);
    expect(frames).toEqual([
      { content: 'Hel' },
      { error: expect.any(String), code: expect.stringMatching(/^\w+$/) },
    ]);
  });
});

describe('an error of the vendor', () => {
  const error = { message: `Not with ${key}`, type: 'x' };
  it.each([
    [401, {}, 503, /svc providers configure together/, null],
    [402, {}, 503, /credit/, null],
    [429, { 'retry-after': '7' }, 429, /no more requests/, '7'],
    [400, {}, 400, /does not accept the request: Not with/, null],
    [404, {}, 400, /does not accept/, null],
    [500, {}, 503, /cannot answer/, null],
    [503, { 'retry-after': '20' }, 503, /cannot answer/, '20'],
  ])('maps the vendor error %i %j to status %i', async (status, headers, answered, text, retryAfter) => {
    for (const stream of [false, true]) {
      await configure();
      model.asked.length = 0;
      model.script = (reply) => reply.json(status, { error }, headers);
      const answer = await complete({ stream });
      expect(answer.status).toBe(answered);
      expect(answer.body).toMatchObject({ error: expect.stringMatching(text) });
      expect(JSON.stringify(answer.body)).not.toContain(key);
      if (retryAfter !== null) expect(answer.headers.get('retry-after')).toBe(retryAfter);
      expect(model.asked).toHaveLength(1);
    }
    await configure();
  });

  it('writes no key to the log', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain(key);
  });
});

it.each([
  [{ messages: [] }, 400],
  [{ messages: [{ role: 'system', content: 'Only this' }] }, 400],
  [{ messages: [{ role: 'user', content: ' ' }] }, 400],
  [{ messages, temperature: 3 }, 400],
  [{ messages, provider: 'nobody' }, 400],
  [{ messages, taskId: 'task_nothing' }, 404],
  [{ messages, conversationId: 'conv_nothing' }, 404],
  [{ messages, provider: 'openai' }, 503],
])('rejects the completion %j with %i and calls no model', async (body, status) => {
  expect((await complete(body)).status).toBe(status);
  expect((await complete({ ...body, stream: true })).status).toBe(status);
  expect(model.asked).toEqual([]);
});

it('says how to configure a provider when there is none', async () => {
  await using empty = await startDaemon();
  await expect(empty.client.chat.createQuickCompletion({ body: { prompt: 'Hi' } })).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('svc providers configure'),
  });
});

function neverRead(): never {
  throw new Error('There is no body');
}
