import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type ModelDaemon, startModelDaemon } from '../helpers/model-daemon.ts';
import { until } from '../helpers/tasks.ts';

const text = 'word '.repeat(200);
const isAnswering = () => until(async () => expect(running.model.asked).toHaveLength(1));

let running: ModelDaemon;
beforeAll(async () => {
  running = await startModelDaemon({
    flags: { 'models.prices': { 'ollama/test-model': { input: 1, output: 10 } } },
  });
});
afterAll(() => running[Symbol.asyncDispose]());
beforeEach(async () => {
  running.model.asked.length = 0;
  // A thousand characters, and no end.
  running.model.script = (reply) => reply.piece(text);
  await running.daemon.app.usage.idle();
  await running.daemon.app.database.write(({ db }) => db.deleteFrom('usage').execute());
});

const rows = async () => {
  await running.daemon.app.usage.idle();
  return running.daemon.app.database.read.selectFrom('usage').selectAll().execute();
};
/** The one row, once it is there. */
const counted = () =>
  vi.waitFor(async () => {
    const [row, more] = await rows();
    if (!row) throw new Error('Nothing is counted yet');
    expect(more).toBeUndefined();
    return row;
  }, 20_000);
/** An answer whose tokens are estimated: 200 for what was said, and some for the prompt. */
const estimated = { provider: 'ollama', model: 'test-model', calls: 1, output_tokens: 200, unknown_calls: 0 };
const messages = [{ role: 'user' as const, content: 'Tell me a long story, please' }];
const newConversation = async () =>
  (await running.daemon.client.conversations.create({ body: {} })).conversation.id;

it('counts a completion whose client leaves', async () => {
  const stream = running.daemon.client.chat.createCompletionStream({ body: { messages } });
  await stream.next();
  await stream.return(undefined);
  const row = await counted();
  expect(row).toMatchObject({ ...estimated, input_tokens: 5 });
  expect(row.cost_usd).toBeCloseTo(5e-6 + 200e-5, 12);
});

it('counts a completion that the provider breaks off', async () => {
  running.model.script = (reply) => {
    reply.piece(text);
    reply.close();
  };
  const stream = running.daemon.client.chat.createCompletionStream({ body: { messages } });
  const chunks = [];
  for await (const { data } of stream) chunks.push(data);
  expect(chunks.at(-1)).toMatchObject({ error: expect.any(String) });
  expect(await counted()).toMatchObject({ ...estimated, input_tokens: 5 });
});

it.each(['sendMessageWithToolsStream', 'sendAgenticMessageStream'] as const)(
  'counts the answer of a chat that a person stops: %s',
  async (method) => {
    const { conversations } = running.daemon.client;
    const params = { id: await newConversation() };
    for await (const { data } of conversations[method]({ params, body: { content: 'Hi' } }))
      if (data.type === 'text:delta') await conversations.stopTurn({ params });
    expect(await counted()).toMatchObject({ ...estimated, conversation_id: params.id });
  },
);

it('counts the answer of a message that the provider breaks off', async () => {
  running.model.script = (reply) => {
    reply.piece(text);
    reply.close();
  };
  const { conversations } = running.daemon.client;
  const params = { id: await newConversation() };
  for await (const _ of conversations.sendMessageWithToolsStream({ params, body: { content: 'Hi' } }));
  expect(await counted()).toMatchObject({ ...estimated, conversation_id: params.id });
});

it('counts the run of a task that is cancelled', async () => {
  const { tasks } = running.daemon.client;
  const { task } = await tasks.create({ body: { title: 'Look', assignedAgent: 'builtin' } });
  await isAnswering();
  await until(async () => {
    const { events } = await tasks.listEvents({ params: { id: task.id } });
    expect(events.some(({ type }) => type === 'output')).toBe(true);
  });
  await tasks.cancel({ params: { id: task.id } });
  const row = await counted();
  expect(row).toMatchObject({ ...estimated, task_id: task.id, agent: 'builtin' });
  // Of the instructions and the title.
  expect(row.input_tokens).toBeGreaterThan(50);
});

it('counts nothing where the model has said nothing', async () => {
  running.model.script = (reply) => reply.json(401, { error: { message: 'No such key' } });
  const { chat } = running.daemon.client;
  await expect(chat.createQuickCompletion({ body: { prompt: 'Hi' } })).rejects.toThrow();
  await expect(chat.createCompletionStream({ body: { messages } }).next()).rejects.toThrow();
  expect(await rows()).toEqual([]);
});
