import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOf } from '../../helpers/all-of.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type ModelReply, type ModelServer, startModelServer, useModel } from '../../helpers/model-server.ts';
import { readStep } from '../../helpers/recorded-exchange.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  daemon = await startDaemon({ models: { retryMs: 1 } });
  await useModel(daemon, model);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function message() {
  const { conversation } = await daemon.client.conversations.create({ body: {} });
  return { params: { id: conversation.id }, body: { content: 'Do it' } };
}
const agentic = async () => allOf(daemon.client.conversations.sendAgenticMessageStream(await message()));
const body = { messages: [{ role: 'user' as const, content: 'hi' }] };
const complete = () => allOf(daemon.client.chat.createCompletionStream({ body }));

describe('what follows the end of a stream', () => {
  const late = { id: 'late', function: { name: 'open_door', arguments: '{}' }, index: 0, type: 'function' };
  const answer = (reply: ModelReply, type?: string) => {
    reply.raw('', type);
    reply.piece('Hello');
    reply.event({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    reply.raw('data: [DONE]\n\n');
    reply.piece(' and more');
    reply.event({ id: 'c1', choices: [{ index: 0, delta: { tool_calls: [late] } }] });
    reply.event({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
    reply.close();
  };

  it.each(['text/event-stream', 'application/json'])('does not count, as %s', async (type) => {
    model.script = (reply) => answer(reply, type);
    const text = (await complete()).map((chunk) => ('content' in chunk ? chunk.content : '')).join('');
    expect(text).toBe('Hello');
    const events = await agentic();
    expect(readStep(events)).toMatchObject({ text: 'Hello', calls: [], end: { finishReason: 'stop' } });
  });
});

describe('an answer that calls many tools', () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: 'open_door', args: {}, id: `call_${at}` }));
  const calling =
    (count: number) =>
    (reply: ModelReply, asked: { body: { stream?: boolean; messages: { role: string }[] } }) =>
      asked.body.messages.some(({ role }) => role === 'tool')
        ? reply.whole('Done')
        : reply.calls(asked.body.stream, calls(count));

  it('may call 128', async () => {
    model.script = calling(128);
    expect((await daemon.client.conversations.sendMessageWithTools(await message())).toolCalls).toHaveLength(
      128,
    );
  });

  it('ends with an error at one more, and none of them runs', async () => {
    model.script = calling(129);
    const text = 'called more than 128 tools in one answer, so none of them ran';
    await expect(daemon.client.conversations.sendMessageWithTools(await message())).rejects.toThrow(text);
    const events = await agentic();
    expect(events.filter(({ type }) => type === 'tool:call')).toEqual([]);
    expect(JSON.stringify(events.at(-1))).toContain(text);
  });
});
