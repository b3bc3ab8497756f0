import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerParts, readParts } from '../../../../src/core/providers/streams/answer-parts.ts';
import type { AnswerPart } from '../../../../src/core/providers/resolved-model.ts';
import { toModelRequest } from '../../../../src/core/providers/model-request.ts';
import { everyNth } from '../../../helpers/long.ts';
import { piecesOf, recordings, typeOf } from '../../../helpers/recordings.ts';
import { type RecordedCase, type ReplayServer, startReplayServer } from '../../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { until } from '../../../helpers/tasks.ts';
import { createReplayed } from '../recordings.ts';
import { shownParts } from './shown-parts.ts';

let replay: ReplayServer;
beforeAll(async () => {
  if (hasSharedFixtures) replay = await startReplayServer();
});
afterAll(async () => {
  if (hasSharedFixtures) await replay[Symbol.asyncDispose]();
});

const prompt = { instructions: '', turns: [{ role: 'user' as const, content: 'hi' }] };
const streams = recordings.filter(({ request }) => request.stream);

/** What both ways show of a recorded answer: the lean one and that through the package of the vendor alone. */
async function bothWays(recording: RecordedCase, options = '') {
  await using replayed = await createReplayed(replay, recording, options);
  const { model } = await replayed.providers.resolve(
    { provider: typeOf(recording), model: 'some-model' },
    undefined,
  );
  const request = {
    ...toModelRequest(prompt, {}),
    abortSignal: AbortSignal.timeout(30_000),
    tools: [{ type: 'function' as const, name: 'look', inputSchema: { type: 'object' as const } }],
  };
  async function* throughPackage(): AsyncGenerator<readonly AnswerPart[], void> {
    const { stream } = await model.doStream(request);
    yield* readParts(stream, undefined);
  }
  return { lean: await shownParts(answerParts(model, request)), whole: await shownParts(throughPackage()) };
}

describe.skipIf(!hasSharedFixtures)('the parts of a recorded stream', () => {
  it.each(streams)('are those that the package makes: $id', async (recording) => {
    for (const pieces of piecesOf(recording))
      // The package of OpenAI waits 50 ms for an early error, so that a stall of the machine changes what it makes.
      await until(async () => {
        const { lean, whole } = await bothWays(recording, pieces === undefined ? '' : `;chunk=${pieces}`);
        expect(lean).toEqual(whole);
      });
  });

  // How much came before a cut depends on who read faster.
  it.each(everyNth(3, streams))(
    'end as those of the package when the connection is cut: $id',
    async (recording) => {
      for (const cut of [0.2, 0.5, 0.8]) {
        const { lean, whole } = await bothWays(recording, `;cut=${cut}`);
        expect(lean.at(-1)).toEqual(whole.at(-1));
      }
    },
  );
});
