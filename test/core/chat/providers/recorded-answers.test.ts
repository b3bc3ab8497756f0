import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RecordedCase, startReplayServer, type ReplayServer } from '../../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { ask, askAndFail, call, createReplayed, isFailure, recordings } from './recordings.ts';

let replay: ReplayServer;
beforeAll(async () => {
  if (hasSharedFixtures) replay = await startReplayServer();
});
afterAll(async () => {
  if (hasSharedFixtures) await replay[Symbol.asyncDispose]();
});

/** True answers on which the AI SDK fails, and how; none of them is to a request that we make. */
const fails: Record<string, { class: string; code: string }> = {
  // Two messages in one stream.
  'anthropic/messages-stream-tool.vai-spliced-message-start': { class: 'agent_error', code: 'bad_answer' },
  // Results of tools of the vendor that an earlier answer had called.
  'anthropic/messages-json-tool.vai-anthropic-tool-search-deferred-bm25-2': {
    class: 'unknown',
    code: 'vendor_error',
  },
  'anthropic/messages-json-tool.vai-anthropic-tool-search-deferred-regex-2': {
    class: 'unknown',
    code: 'vendor_error',
  },
  'openai/responses-json-server-tool.vai-programmatic-tool-calling-3': {
    class: 'unknown',
    code: 'vendor_error',
  },
};
/** Here the vendor's text has the summary of a compaction before it, and its usage the tokens of that. */
const hasMore = ({ id }: RecordedCase) => id.includes('vai-anthropic-compaction');

/** How the AI SDK calls what the vendor calls so. Some say stop, or completed, for calls of tools too. */
const finishes: Record<string, RegExp> = {
  stop: /^(stop|tool-calls)$/,
  STOP: /^(stop|tool-calls)$/,
  completed: /^(stop|tool-calls)$/,
  end_turn: /^stop$/,
  COMPLETE: /^stop$/,
  STOP_SEQUENCE: /^stop$/,
  eos: /^stop$/,
  tool_calls: /^tool-calls$/,
  tool_use: /^tool-calls$/,
  TOOL_CALL: /^tool-calls$/,
  length: /^length$/,
  MAX_TOKENS: /^length$/,
  refusal: /^content-filter$/,
};

/** What comes from caches and tools is a part of the prompt, and reasoning a part of the answer. */
function usageIn({ expect: said }: RecordedCase) {
  if (!said?.usage) return {};
  const count = (name: string) => said.usage?.[name] ?? 0;
  const promptTokens = count('input') + count('cacheRead') + count('cacheWrite') + count('toolUse');
  const completionTokens = count('output') + count('thoughts');
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

/** Byte by byte takes long, so it is for the short ones. */
const piecesOf = ({ response: { bytes } }: RecordedCase) => [
  '',
  ...(bytes < 20_000 ? [';chunk=5'] : []),
  ...(bytes < 4000 ? [';chunk=1'] : []),
];

describe.skipIf(!hasSharedFixtures)('what a vendor answered', () => {
  const answers = recordings.filter((recording) => !isFailure(recording));

  it.each(answers.filter(({ id }) => !(id in fails)))(
    'is text, a reason to end and usage: $id',
    async (recording) => {
      for (const pieces of piecesOf(recording)) {
        await using replayed = await createReplayed(replay, recording, pieces);
        const answer = await ask(replayed, recording);
        if (hasMore(recording)) expect(answer.text).toContain(recording.expect?.text);
        else expect(answer).toMatchObject({ text: recording.expect?.text, usage: usageIn(recording) });
        if (recording.expect?.finish)
          expect(answer.finishReason).toMatch(finishes[recording.expect.finish] ?? /^$/);
      }
    },
  );

  it.each(answers.filter(({ id }) => !(id in fails)))(
    'is the same to a completion: $id',
    async (recording) => {
      await using replayed = await createReplayed(replay, recording);
      const { finishReason, ...answer } = await ask(replayed, recording);
      const called = await call(replayed, recording);
      expect(called).toMatchObject({ ...answer, finishReason: finishReason.replace('-', '_') });
    },
  );

  it.each(answers.filter(({ id }) => id in fails))(
    'and cannot be read is a failure: $id',
    async (recording) => {
      await using replayed = await createReplayed(replay, recording);
      expect(await askAndFail(replayed, recording)).toMatchObject(fails[recording.id] ?? {});
    },
  );
});
