import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordedExchange } from '../../helpers/recorded-exchange.ts';
import { answers, finishOf, hasMore, piecesOf, unreadable, usageIn } from '../../helpers/recordings.ts';
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
  3,
  answers.filter(({ id }) => !(id in unreadable)),
);

describe.skipIf(!hasSharedFixtures)('recorded completions', () => {
  it.each(readable.filter(({ request }) => !request.stream))(
    'returns a recorded completion: $id',
    async (recording) => {
      const { text, usage, finishReason } = await exchange.complete(recording);
      expect(finishReason).toMatch(finishOf(recording));
      if (hasMore(recording)) return expect(text).toContain(recording.expect?.text);
      expect(text).toBe(recording.expect?.text);
      expect(usage).toEqual(usageIn(recording));
    },
  );

  it.each(readable.filter(({ request }) => request.stream))(
    'streams a recorded completion: $id',
    async (recording) => {
      for (const chunk of chunksOf(recording)) {
        const chunks = await exchange.completeStreamed(recording, chunk === undefined ? {} : { chunk });
        const text = chunks.map((each) => ('content' in each ? each.content : '')).join('');
        expect(chunks.at(-1)).toMatchObject({
          done: true,
          finishReason: expect.stringMatching(finishOf(recording)),
        });
        expect(chunks.filter((each) => !('content' in each))).toHaveLength(1);
        if (hasMore(recording)) return expect(text).toContain(recording.expect?.text);
        expect(text).toBe(recording.expect?.text);
        expect(chunks.at(-1)).toHaveProperty('usage', usageIn(recording));
      }
    },
  );

  it.each(answers.filter(({ id }) => id in unreadable))(
    'returns an error for an unreadable completion: $id',
    async (recording) => {
      await expect(exchange.completeStreamed(recording)).rejects.toMatchObject({
        message: expect.stringContaining('sent something that cannot be read'),
      });
    },
  );
});
