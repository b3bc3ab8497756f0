import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { providerTypes } from '../../../src/core/providers/provider-list.ts';
import { readStep, RecordedExchange } from '../../helpers/recorded-exchange.ts';
import { answers, callsIn, isFailure, recordings, samples, typeOf } from '../../helpers/recordings.ts';
import type { ReplayStep } from '../../helpers/replayed-daemon.ts';
import type { RecordedCase } from '../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { everyNth, sized } from '../../helpers/long.ts';

let exchange: RecordedExchange;
beforeAll(async () => {
  if (hasSharedFixtures) exchange = await RecordedExchange.start({ stallMs: 100 });
});
afterAll(async () => {
  if (hasSharedFixtures) await exchange[Symbol.asyncDispose]();
});

/** Beside the samples one stream of each vendor that calls tools. */
const broken = [
  ...samples,
  ...[...new Set(answers.map(({ provider }) => provider))].flatMap(
    (provider) =>
      answers.find((each) => each.provider === provider && each.request.stream && callsIn(each).length > 0) ??
      [],
  ),
];

/** Every way to ask, with what has to come of it. */
async function expectErrors(recording: RecordedCase, options: Partial<ReplayStep>): Promise<void> {
  // Where nothing was said yet an agent tries again, and then hears of a failure too.
  const step = { case: recording.id, lenient: true as const, ...options };
  await exchange.closeBreaker(recording);
  if (recording.request.stream) {
    const chunks = await exchange
      .completeStreamed(recording, options)
      .catch((error: unknown) => [{ error: String(error) }]);
    const text = chunks.map((chunk) => ('content' in chunk ? chunk.content : '')).join('');
    if (recording.expect) expect(recording.expect.text.startsWith(text)).toBe(true);
    expect(chunks.at(-1), recording.id).toHaveProperty('error');
    expect(chunks.filter((chunk) => 'done' in chunk)).toEqual([]);
    await exchange.closeBreaker(recording);
    expectError(await exchange.withToolsStreamed(recording, step), recording);
  } else {
    await expect(exchange.complete(recording, options), recording.id).rejects.toMatchObject({
      name: 'ApiError',
    });
    await exchange.closeBreaker(recording);
    await expect(exchange.withTools(recording, step), recording.id).rejects.toMatchObject({
      name: 'ApiError',
    });
  }
  await exchange.closeBreaker(recording);
  expectError(await exchange.agentic(recording, step), recording);
}

/** What was heard is told, then the error; nothing is made up. */
function expectError(events: RunEvent[], recording: RecordedCase): void {
  const { text, calls } = readStep(events);
  if (recording.expect) expect(recording.expect.text.startsWith(text)).toBe(true);
  expect(calls).toEqual([]);
  expect(events.at(-1), recording.id).toMatchObject({
    type: 'error',
    data: { message: expect.stringMatching(/\w/) },
  });
  const types = events.map(({ type }) => type);
  for (const type of ['complete', 'summary', 'message_saved', 'step:complete'])
    expect(types).not.toContain(type);
}

describe.skipIf(!hasSharedFixtures)('a broken answer of a model', () => {
  it.each(everyNth(8, broken))('an answer that is cut off is an error: $id', async (recording) => {
    for (const cut of sized([0.3], [0.3, 0.7])) await expectErrors(recording, { cut });
  });

  it('an answer that stalls is an error for every provider', async () => {
    const byType = new Map(broken.map((recording) => [typeOf(recording), recording]));
    expect([...byType.keys()].sort()).toEqual([...providerTypes].sort());
    // The limit is reached at the pace of the HTTP client, so that they stall together.
    await Promise.all([...byType.values()].map((recording) => expectErrors(recording, { stall: 0.6 })));
  });

  it.each(recordings.filter(isFailure))(
    'an answer with an error of the vendor is an error: $id',
    async (recording) => {
      await expectErrors(recording, {});
    },
  );
});

it.skipIf(!hasSharedFixtures)('an answer that never starts is an error', async () => {
  await using impatient = await RecordedExchange.start({ longestMs: 200 });
  for (const recording of samples.filter(({ provider }) => provider === 'mistral')) {
    const late = { case: recording.id, lenient: true as const, hang: -1 };
    const message = /mistral did not finish its answer within 0.2 s/;
    if (recording.request.stream)
      await expect(impatient.completeStreamed(recording, late)).rejects.toThrow(message);
    else {
      await expect(impatient.complete(recording, late)).rejects.toThrow(message);
      await expect(impatient.withTools(recording, late)).rejects.toThrow(message);
    }
    await impatient.closeBreaker(recording);
    for (const events of [
      await impatient.withToolsStreamed(recording, late),
      await impatient.agentic(recording, late, late, late),
    ])
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        data: { message: expect.stringMatching(message) },
      });
  }
});
