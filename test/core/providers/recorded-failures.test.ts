import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelError } from '../../../src/core/providers/model-error.ts';
import { everyNth } from '../../helpers/long.ts';
import { isFailure, recordings, samples, typeOf } from '../../helpers/recordings.ts';
import { startReplayServer, type ReplayServer } from '../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { askAndFail, call, createReplayed } from './recordings.ts';

let replay: ReplayServer;
beforeAll(async () => {
  if (hasSharedFixtures) replay = await startReplayServer();
});
afterAll(async () => {
  if (hasSharedFixtures) await replay[Symbol.asyncDispose]();
});

const invalid = { class: 'invalid_input', code: 'invalid_input' };
/** What each recorded failure is in our words. */
const failures: Record<string, object> = {
  'anthropic/messages-json-error.doc-529': { class: 'network', code: 'overloaded' },
  'anthropic/messages-stream-error-midstream.doc-overloaded': { class: 'network', code: 'overloaded' },
  'azure/chat-json-error.olm-prompt-content-filtering-0': { class: 'invalid_input', code: 'content_filter' },
  // An answer to another request.
  'cohere/chat-v2-json-error.vai-cohere-embedding': { class: 'agent_error', code: 'bad_answer' },
  'fireworks/chat-json-error.hand-made': { class: 'invalid_input', code: 'context_too_long' },
  'google/generate-json-error.doc-400-key': { class: 'auth' },
  'google/generate-json-error.vai-google-429-retry-info': { class: 'rate_limited', retryAfterMs: 34_400 },
  'openrouter/chat-stream-error-midstream.hand-made': { class: 'network' },
  'openai/responses-json-error.vai-openai-error-1': { class: 'quota' },
  'openai/responses-stream-error.vai-openai-error-1': { class: 'quota' },
};

describe.skipIf(!hasSharedFixtures)('a call of a model', () => {
  it.each(recordings.filter(isFailure))('fails a step as recorded: $id', async (recording) => {
    await using replayed = await createReplayed(replay, recording);
    const failure = await askAndFail(replayed, recording);
    expect(failure).toMatchObject(failures[recording.id] ?? invalid);
    expect(failure.message).toMatch(/^[A-Z][\w ]+ (does not|refuses|has no|accepts no|cannot|sent)/);
  });

  it.each(recordings.filter(isFailure))('fails a completion as recorded: $id', async (recording) => {
    await using replayed = await createReplayed(replay, recording);
    const { message } = modelError(await askAndFail(replayed, recording));
    await expect(call(replayed, recording)).rejects.toThrow(message);
  });

  it.each(everyNth(2, samples, 1))('fails when the connection is cut: $id', async (recording) => {
    await using replayed = await createReplayed(replay, recording, ';cut=0.5');
    expect(await askAndFail(replayed, recording)).toMatchObject({ class: 'network', code: 'network' });
  });

  it.concurrent.each(everyNth(4, samples))('fails when the answer stalls: $id', async (recording) => {
    await using replayed = await createReplayed(replay, recording, ';stall=0.5', 300);
    expect(await askAndFail(replayed, recording)).toMatchObject({ class: 'timeout' });
  });

  it.each([
    [401, 'auth'],
    [402, 'quota'],
    [403, 'auth'],
    [404, 'invalid_input'],
    [408, 'timeout'],
    [422, 'invalid_input'],
    [429, 'rate_limited'],
    [500, 'network'],
    [503, 'network'],
    [504, 'timeout'],
    [529, 'network'],
    [307, 'agent_error'],
  ])('classifies status %i as %s', async (status, expected) => {
    for (const recording of everyNth(8, samples)) {
      await using replayed = await createReplayed(replay, recording, `;status=${status}`);
      const failure = await askAndFail(replayed, recording);
      expect({ type: typeOf(recording), class: failure.class }).toEqual({
        type: typeOf(recording),
        class: expected,
      });
    }
  });
});
