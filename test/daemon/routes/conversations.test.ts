import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { type ModelServer, says } from '../../helpers/model-server.ts';
import { until } from '../../helpers/tasks.ts';
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

const begin = async () => (await ann.client.conversations.create({ body: {} })).conversation;
const send = (id: string, content: string, signal?: AbortSignal) =>
  ann.client.conversations.sendMessage({ params: { id }, body: { content } }, signal && { signal });

it('a conversation works from its creation to its deletion', async () => {
  // One that does not run, since its agent would ask the model too.
  const body = { title: 'Fix the door', assignedAgent: 'http' };
  const { task } = await ann.client.tasks.create({ body });
  const { conversation } = await ann.client.conversations.create({
    body: { title: 'Doors', presetId: 'developer', taskId: task.id },
  });
  const { id } = conversation;
  expect(conversation).toMatchObject({
    title: 'Doors',
    presetId: 'developer',
    taskId: task.id,
    messageCount: 0,
  });
  const sent = await send(id, 'How?');
  expect(sent).toMatchObject({
    userMessage: { conversationId: id, role: 'user', content: 'How?' },
    assistantMessage: { role: 'assistant', content: 'Hello', provider: 'ollama', model: 'test-model' },
    usage: { promptTokens: 11, completionTokens: 7, totalTokens: 18 },
  });
  await send(id, 'And then?');
  const roles = model.asked[1]?.body.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  const found = await ann.client.conversations.get({ params: { id } });
  expect(found.conversation).toMatchObject({ title: 'Doors', messageCount: 4 });
  expect(found.messages.slice(0, 2)).toEqual([sent.userMessage, sent.assistantMessage]);
  const list = await ann.client.conversations.list({ query: { taskId: task.id } });
  const { usage, ...listed } = found.conversation;
  expect(usage).toEqual({
    promptTokens: 22,
    completionTokens: 14,
    totalTokens: 36,
    context: { promptTokens: 11 },
  });
  expect(list).toEqual({ conversations: [listed], total: 1, limit: 20, offset: 0 });
  await ann.client.conversations.delete({ params: { id } });
  for (const call of [() => ann.client.conversations.get({ params: { id } }), () => send(id, 'Hi')])
    await expect(call()).rejects.toMatchObject({ status: 404, message: 'Conversation not found' });
});

it('answers simultaneous messages one after the other', async () => {
  const { id } = await begin();
  await Promise.all(Array.from({ length: 8 }, (_, index) => send(id, `Message ${index}`)));
  const { conversation, messages } = await ann.client.conversations.get({ params: { id } });
  expect(conversation.messageCount).toBe(16);
  expect(messages.map(({ role }) => role)).toEqual(
    Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
  );
});

it('keeps the message when the model fails, with an answer that says so', async () => {
  const { id } = await begin();
  model.script = (reply) => reply.json(429, { error: { message: 'Slow down' } }, { 'retry-after': '3' });
  await expect(send(id, 'One')).rejects.toMatchObject({ status: 429 });
  model.script = says('There');
  await send(id, 'Two');
  const { conversation, messages } = await ann.client.conversations.get({ params: { id } });
  expect(messages.map(({ content, status }) => [content, status])).toEqual([
    ['One', undefined],
    ['', 'failed'],
    ['Two', undefined],
    ['There', 'completed'],
  ]);
  expect(conversation).toMatchObject({ title: 'One', messageCount: 4 });
});

it('does not store a message that can never be answered', async () => {
  const { id } = await begin();
  const body = { content: 'Hi', provider: 'openai' as const };
  await expect(ann.client.conversations.sendMessage({ params: { id }, body })).rejects.toMatchObject({
    status: 503,
  });
  expect((await ann.client.conversations.get({ params: { id } })).messages).toEqual([]);
});

it('discards the answer when the conversation is deleted meanwhile', async () => {
  const { id } = await begin();
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  model.script = async (reply) => {
    asked.resolve();
    await go.promise;
    reply.whole('Too late');
  };
  const sent = send(id, 'One');
  await asked.promise;
  await ann.client.conversations.delete({ params: { id } });
  go.resolve();
  await expect(sent).rejects.toMatchObject({ status: 404 });
});

it('aborts the model call when the client disconnects', async () => {
  const { id } = await begin();
  const asked = Promise.withResolvers<void>();
  model.script = () => asked.resolve();
  const gone = new AbortController();
  const before = model.aborted;
  const sent = send(id, 'One', gone.signal);
  await asked.promise;
  gone.abort();
  await expect(sent).rejects.toThrow();
  await until(() => expect(model.aborted).toBe(before + 1));
  await until(async () => {
    const { messages } = await ann.client.conversations.get({ params: { id } });
    expect(messages[1]).toMatchObject({ content: '', status: 'interrupted', error: { code: 'CANCELLED' } });
  });
});

it('a conversation survives a restart', async () => {
  const { id } = await begin();
  await send(id, 'Remember me');
  const before = await ann.client.conversations.get({ params: { id } });
  await daemon.stop();
  await using again = await startDaemon({ home: daemon.home });
  expect(await again.client.conversations.get({ params: { id } })).toEqual(before);
});
