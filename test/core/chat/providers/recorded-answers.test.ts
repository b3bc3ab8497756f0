import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, finishOf, hasMore, piecesOf, unreadable, usageIn } from '../../../helpers/recordings.ts';
import { startReplayServer, type ReplayServer } from '../../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { ask, askAndFail, call, createReplayed } from './recordings.ts';

let replay: ReplayServer;
beforeAll(async () => {
  if (hasSharedFixtures) replay = await startReplayServer();
});
afterAll(async () => {
  if (hasSharedFixtures) await replay[Symbol.asyncDispose]();
});

describe.skipIf(!hasSharedFixtures)('what a vendor answered', () => {
  it.each(answers.filter(({ id }) => !(id in unreadable)))(
    'is text, a reason to end and usage: $id',
    async (recording) => {
      for (const pieces of piecesOf(recording)) {
        await using replayed = await createReplayed(
          replay,
          recording,
          pieces === undefined ? '' : `;chunk=${pieces}`,
        );
        const answer = await ask(replayed, recording);
        if (hasMore(recording)) expect(answer.text).toContain(recording.expect?.text);
        else expect(answer).toMatchObject({ text: recording.expect?.text, usage: usageIn(recording) });
        expect(answer.finishReason).toMatch(finishOf(recording));
      }
    },
  );

  it.each(answers.filter(({ id }) => !(id in unreadable)))(
    'is the same to a completion: $id',
    async (recording) => {
      await using replayed = await createReplayed(replay, recording);
      const { finishReason, ...answer } = await ask(replayed, recording);
      const called = await call(replayed, recording);
      expect(called).toMatchObject({ ...answer, finishReason: finishReason.replace('-', '_') });
    },
  );

  it.each(answers.filter(({ id }) => id in unreadable))(
    'and cannot be read is a failure: $id',
    async (recording) => {
      await using replayed = await createReplayed(replay, recording);
      expect(await askAndFail(replayed, recording)).toMatchObject({
        class: 'agent_error',
        code: 'bad_answer',
      });
    },
  );
});
