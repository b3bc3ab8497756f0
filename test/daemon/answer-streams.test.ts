import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { type ModelServer, says } from '../helpers/model-server.ts';

const MAX = 3;
let daemon: TestDaemon;
let model: ModelServer;
let id: string;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon({ flags: { 'limits.streamsPerUser': MAX } }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ({
    conversation: { id },
  } = await daemon.client.conversations.create({ body: {} }));
  model.asked.length = 0;
});
let closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers) close();
  closers = [];
});

const messages = () => `/api/chat/conversations/${id}/messages`;
const completion = {
  path: () => '/api/chat/completions',
  body: { stream: true, messages: [{ role: 'user', content: 'hi' }] },
};
const streams = {
  'a completion': {
    ...completion,
    missing: { path: completion.path(), body: { ...completion.body, conversationId: 'conv_missing' } },
  },
  'a message with tools': {
    path: () => `${messages()}/with-tools`,
    body: { content: 'hi' },
    missing: { path: '/api/chat/conversations/conv_missing/messages/with-tools', body: { content: 'hi' } },
  },
  'an agentic message': {
    path: () => `${messages()}/agentic`,
    body: { content: 'hi' },
    missing: { path: '/api/chat/conversations/conv_missing/messages/agentic', body: { content: 'hi' } },
  },
};
async function open(path: string, body: object) {
  const controller = new AbortController();
  closers.push(() => controller.abort());
  const response = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    signal: controller.signal,
  });
  return { response, close: () => controller.abort() };
}
/** Opens a stream as soon as those that were closed before are no longer counted. */
const openNext = (path: string, body: object) =>
  vi.waitFor(async () => {
    const opened = await open(path, body);
    expect(opened.response.status).toBe(200);
    return opened;
  }, 20_000);
/** Streams of a model that never finishes, as many as a user may have. */
async function openAll() {
  model.script = (reply) => reply.piece('Hel');
  const opened = [];
  for (let at = 0; at < MAX; at++) opened.push(await openNext(completion.path(), completion.body));
  await vi.waitFor(() => expect(model.asked).toHaveLength(MAX), 20_000);
  return opened;
}

describe.each(Object.entries(streams))('the stream of %s', (_, { path, body, missing }) => {
  it('a stream beyond the limit is refused before anything is stored or sent to a model', async () => {
    const opened = await openAll();
    const { response } = await open(path(), body);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('3 open streams') });
    expect(model.asked).toHaveLength(MAX);
    expect((await daemon.client.conversations.get({ params: { id } })).messages).toEqual([]);
    // A response in one piece is no stream.
    model.script = says('Hello');
    const single = { messages: [{ role: 'user' as const, content: 'hi' }] };
    expect((await daemon.client.chat.createCompletion({ body: single })).message.content).toBe('Hello');
    opened[0]?.close();
    await (await openNext(path(), body)).response.text();
  });

  it('a stream counts until it is finished or refused', async () => {
    model.script = says('Hello');
    for (let at = 0; at <= MAX; at++) await (await openNext(path(), body)).response.text();
    for (let at = 0; at <= MAX; at++) {
      const { status } = await send(daemon, 'POST', missing.path, missing.body, {
        ...daemon.headers,
        accept: 'text/event-stream',
      });
      expect(status).toBe(404);
    }
    await (await openNext(path(), body)).response.text();
  });
});

it('an open answer counts with the streams of events', async () => {
  await openAll();
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Wait', assignedAgent: 'command', prompt: 'true' },
  });
  const events = await fetch(`${daemon.url}/api/tasks/${task.id}/events`, {
    headers: { ...daemon.headers, accept: 'text/event-stream' },
  });
  expect(events.status).toBe(429);
});
