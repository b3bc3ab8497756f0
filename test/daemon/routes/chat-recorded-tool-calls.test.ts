import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenUsage } from '../../../src/contract/chat.ts';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { namesAndArguments, readStep, RecordedExchange } from '../../helpers/recorded-exchange.ts';
import {
  answers,
  callsIn,
  finishOf,
  hasMore,
  lastAnswerFor,
  piecesOf,
  unreadable,
  usageIn,
} from '../../helpers/recordings.ts';
import type { RecordedCase } from '../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { everyNth, sized } from '../../helpers/long.ts';

/** The hardest way to part its bytes, or every way. */
const chunksOf = (recording: RecordedCase) => piecesOf(recording).slice(sized(-1, 0));

let exchange: RecordedExchange;
beforeAll(async () => {
  if (hasSharedFixtures) exchange = await RecordedExchange.start();
});
afterAll(async () => {
  if (hasSharedFixtures) await exchange[Symbol.asyncDispose]();
});

const readable = everyNth(
  10,
  answers.filter(({ id }) => !(id in unreadable)),
);
/** None of the tools is one of ours, so that the model hears this of each. */
const unknown = 'There is no tool';

/** What the steps of the run used, where the vendor counts. */
function usageOf(recording: RecordedCase): TokenUsage {
  const used = [recording, ...(callsIn(recording).length > 0 ? [lastAnswerFor(recording)] : [])].map(usageIn);
  if (used.some((each) => each.totalTokens === undefined)) return {};
  const sum = (name: 'promptTokens' | 'completionTokens' | 'totalTokens') =>
    used.reduce((total, each) => total + (each[name] ?? 0), 0);
  return {
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
    totalTokens: sum('totalTokens'),
  };
}

function expectRun(events: RunEvent[], recording: RecordedCase): void {
  const { text, calls, results, end } = readStep(events);
  const expected = callsIn(recording);
  expect(namesAndArguments(calls)).toEqual(expected);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(expected.length);
  for (const { id } of calls) expect(results.get(id)).toContain(unknown);
  expect(end).toMatchObject({
    toolCalls: expected.length,
    finishReason: expect.stringMatching(finishOf(recording)),
  });
  const complete = events.filter(({ type }) => type === 'complete').map(({ data }) => data);
  expect(complete).toMatchObject([{ toolCalls: expected.length }]);
  expect(events.at(-1)?.type).toBe('message_saved');
  if (hasMore(recording)) return expect(text).toContain(recording.expect?.text);
  expect(text).toBe(recording.expect?.text);
  const { promptTokens, completionTokens, totalTokens } = usageOf(recording);
  const [{ inputTokens, outputTokens, totalTokens: sum }] = complete as [
    Extract<RunEvent, { type: 'complete' }>['data'],
  ];
  expect([inputTokens, outputTokens, sum]).toEqual([promptTokens, completionTokens, totalTokens]);
}

describe.skipIf(!hasSharedFixtures)('recorded messages with tools', () => {
  it.each(readable.filter(({ request }) => !request.stream))(
    'returns a recorded message with tools: $id',
    async (recording) => {
      const exchanged = await exchange.withTools(recording);
      const calls = callsIn(recording);
      expect(namesAndArguments(exchanged.toolCalls)).toEqual(calls);
      for (const { result, status } of exchanged.toolCalls) {
        expect(result).toContain(unknown);
        expect(status).toBe('error');
      }
      const last = calls.length > 0 ? lastAnswerFor(recording) : recording;
      expect(exchanged.finishReason).toMatch(finishOf(last));
      if (hasMore(recording))
        return expect(exchanged.assistantMessage.content).toContain(recording.expect?.text);
      expect(exchanged.assistantMessage.content).toBe(last.expect?.text);
      expect(exchanged.usage).toEqual(usageOf(recording));
    },
  );

  it.each(readable.filter(({ request }) => request.stream))(
    'streams a recorded message with tools: $id',
    async (recording) => {
      const last = { case: lastAnswerFor(recording).id };
      for (const chunk of callsIn(recording).length > 0 ? chunksOf(recording) : [undefined])
        expectRun(
          await exchange.withToolsStreamed(
            recording,
            { case: recording.id, ...(chunk !== undefined && { chunk }) },
            last,
          ),
          recording,
        );
    },
  );
});

describe.skipIf(!hasSharedFixtures)('recorded agentic messages', () => {
  it.each(readable.filter(({ request }) => request.stream))(
    'streams a recorded agentic message: $id',
    async (recording) => {
      expectRun(await exchange.agentic(recording), recording);
    },
  );

  it.each(readable.filter((each) => !each.request.stream && callsIn(each).length > 0))(
    'reads a whole answer to a request for a stream: $id',
    async (recording) => {
      const steps = [recording.id, lastAnswerFor(recording).id].map((id) => ({
        case: id,
        lenient: true as const,
      }));
      expectRun(await exchange.agentic(recording, ...steps), recording);
    },
  );
});

describe.skipIf(!hasSharedFixtures)('unreadable recordings', () => {
  it.each(answers.filter(({ id }) => id in unreadable))(
    'an unreadable answer is an error: $id',
    async (recording) => {
      for (const events of [await exchange.withToolsStreamed(recording), await exchange.agentic(recording)]) {
        expect(events.at(-1)).toMatchObject({
          type: 'error',
          data: { message: expect.stringContaining('sent something that cannot be read') },
        });
        expect(events.map(({ type }) => type)).not.toContain('complete');
      }
    },
  );
});
