import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allOf } from '../../helpers/all-of.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import {
  type ModelServer,
  says,
  type Script,
  type ScriptedCall,
  startModelServer,
  useModel,
} from '../../helpers/model-server.ts';
import { namesAndArguments, readStep } from '../../helpers/recorded-exchange.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  daemon = await startDaemon({ models: { retryMs: 1 } });
});
beforeEach(async () => {
  model.asked.length = 0;
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

/** Calls, and answers once it hears what came of them. */
const calling =
  (calls: ScriptedCall[]): Script =>
  (reply, asked) =>
    asked.body.messages.some(({ role }) => role === 'tool')
      ? says('Done')(reply, asked)
      : reply.calls(asked.body.stream, calls);

interface Told {
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}
/** The ids of the calls, and those of the results, as the model was told of them. */
function toldModel(): { calls: string[]; results: string[] } {
  const messages = (model.asked[1]?.body.messages ?? []) as Told[];
  return {
    calls: messages.flatMap((each) => each.tool_calls ?? []).map(({ id }) => id),
    results: messages.flatMap((each) => each.tool_call_id ?? []),
  };
}

describe('odd tool calls', () => {
  const look = { path: 'nowhere' };
  it.each<[string, ScriptedCall[], unknown[]]>([
    [
      'that share an id are each run as they are',
      [
        { name: 'open_door', args: {}, id: 'call_same0' },
        { name: 'list_directory', args: look, id: 'call_same0' },
      ],
      [{}, look],
    ],
    ['with no arguments at all have none', [{ name: 'list_directory', args: '' }], [{}]],
    ['with null for arguments have none', [{ name: 'list_directory', args: 'null' }], [{}]],
    ['whose arguments are no object keep them', [{ name: 'list_directory', args: '[1]' }], [[1]]],
    ['whose arguments break off keep them', [{ name: 'list_directory', args: '{"path":"a' }], ['{"path":"a']],
  ])('tool calls %s', async (_, calls, args) => {
    model.script = calling(calls);
    const expected = calls.map(({ name }, index) => ({ name, arguments: args[index] }));
    const { toolCalls, assistantMessage } = await daemon.client.conversations.sendMessageWithTools(
      await message(),
    );
    expect(namesAndArguments(toolCalls)).toEqual(expected);
    expect(assistantMessage.content).toBe('Done');
    const told = toldModel();
    expect(new Set(told.calls).size).toBe(calls.length);
    expect(told.results).toEqual(told.calls);

    model.asked.length = 0;
    const step = readStep(await agentic());
    expect(namesAndArguments(step.calls)).toEqual(expected);
    expect(step.results.size).toBe(calls.length);
    const ids = step.calls.map(({ id }) => id);
    expect(toldModel()).toEqual({ calls: ids, results: ids });
  });
});

describe('a server that does not stream on request', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const complete = () => allOf(daemon.client.chat.createCompletionStream({ body: { messages } }));

  it('calls a server that does not stream only once, and reads its whole answer', async () => {
    model.script = (reply) => reply.whole('Hello');
    expect(await complete()).toEqual([
      { content: 'Hello' },
      {
        done: true,
        finishReason: 'stop',
        usage: { promptTokens: 11, completionTokens: 7, totalTokens: 18 },
      },
    ]);
    expect(model.asked.map(({ body }) => body.stream)).toEqual([true]);
  });

  it('an answer that is not streamed may contain tool calls and reasoning', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'open_door', arguments: '{"wide":true}' } };
    const message = { role: 'assistant', content: 'Well', reasoning_content: 'Hm', tool_calls: [call] };
    model.script = (reply, asked) =>
      asked.body.messages.some(({ role }) => role === 'tool')
        ? reply.whole('Done')
        : reply.json(200, { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    const events = await agentic();
    expect(readStep(events)).toMatchObject({
      text: 'Well',
      calls: [{ id: 'c1', name: 'open_door', arguments: { wide: true } }],
      end: { finishReason: 'tool_calls' },
    });
    expect(events.find(({ type }) => type === 'thinking:end')?.data).toMatchObject({ text: 'Hm' });
    expect(readStep(events, 2).text).toBe('Done');
    expect(model.asked).toHaveLength(2);
  });

  it('an answer that is not streamed may contain an error', async () => {
    model.script = (reply) => reply.json(200, { error: { message: 'No such model', code: 'not_found' } });
    await expect(complete()).rejects.toThrow('No such model');
    expect(model.asked).toHaveLength(1);
    model.script = (reply) => {
      reply.raw('{"id": "x", "cho', 'application/json');
      reply.close();
    };
    await expect(complete()).rejects.toThrow('cannot be read');
  });

  it('reads a stream with the content type of JSON', async () => {
    model.script = (reply) => {
      reply.raw('\n', 'application/json; charset=utf-8');
      reply.piece('Hel');
      reply.piece('lo');
      reply.end();
    };
    expect((await complete()).slice(0, 2)).toEqual([{ content: 'Hel' }, { content: 'lo' }]);
  });
});
