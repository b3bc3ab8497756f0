import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { namesAndArguments, readStep, RecordedExchange } from '../../helpers/recorded-exchange.ts';
import { recordings } from '../../helpers/recordings.ts';
import type { RecordedCase, RecordedLoop } from '../../helpers/replay-server.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';

let exchange: RecordedExchange;
beforeAll(async () => {
  if (hasSharedFixtures) exchange = await RecordedExchange.start();
});
afterAll(async () => {
  if (hasSharedFixtures) await exchange[Symbol.asyncDispose]();
});

const known = new Map(recordings.map((recording) => [recording.id, recording]));
const loops = (sharedFixture<RecordedLoop[]>('providers/sequences.json') ?? []).filter(({ steps }) =>
  steps.every((id) => known.has(id)),
);
const firstOf = ({ steps }: RecordedLoop) => known.get(steps[0] ?? '') as RecordedCase;
const callsOf = ({ toolCalls }: RecordedLoop) =>
  toolCalls.map((calls) =>
    calls.map(({ name, arguments: json }) => ({ name, arguments: JSON.parse(json) as unknown })),
  );

/** The bodies of the requests that were made of the model. */
function askedOf(loop: RecordedLoop, model: string) {
  const { replay } = exchange.daemonOf(loop);
  return replay.asked(model.replace('replay-', '')).map(({ body }) => JSON.stringify(body));
}

/** One request for each step, and in each what came of all calls before it. */
function expectAsked(loop: RecordedLoop, model: string): void {
  const bodies = askedOf(loop, model);
  expect(bodies).toHaveLength(loop.steps.length);
  for (const [step, body] of bodies.entries()) {
    const before = loop.toolCalls.slice(0, step).flat();
    expect(body.split('There is no tool').length - 1).toBe(before.length);
    for (const { id } of before) if (id && !loop.api.startsWith('google')) expect(body).toContain(id);
  }
}

function expectEvents(loop: RecordedLoop, events: RunEvent[]): void {
  const steps = loop.steps.map((_, index) => readStep(events, index + 1));
  expect(steps.map(({ calls }) => namesAndArguments(calls))).toEqual(callsOf(loop));
  expect(steps.at(-1)?.text).toBe(loop.finalText);
  expect(events.at(-1)?.type).toBe('message_saved');
  const start = events.find(({ type }) => type === 'session:start')?.data as { model: string };
  expectAsked(loop, start.model);
}

describe.skipIf(!hasSharedFixtures)('a recorded loop of a model and its tools', () => {
  it('has recorded loops for several vendors and APIs', () => {
    expect(new Set(loops.map(({ provider, api }) => `${provider} ${api}`)).size).toBeGreaterThan(7);
  });

  it.each(loops.filter(({ stream }) => !stream))(
    'a recorded loop completes with tools: $id',
    async (loop) => {
      const { toolCalls, assistantMessage, pendingApprovals } = await exchange.withTools(
        firstOf(loop),
        ...loop.steps.map((id) => ({ case: id })),
      );
      expect(namesAndArguments(toolCalls)).toEqual(callsOf(loop).flat());
      expect(assistantMessage.content).toBe(loop.finalText);
      expect(pendingApprovals).toEqual([]);
      expectAsked(loop, assistantMessage.model ?? '');
    },
  );

  it.each(loops.filter(({ stream }) => stream))(
    'a recorded loop completes with tools, streamed: $id',
    async (loop) => {
      const steps = loop.steps.map((id) => ({ case: id }));
      expectEvents(loop, await exchange.withToolsStreamed(firstOf(loop), ...steps));
    },
  );

  // Where the answers are whole ones, this is a server that does not stream when it is asked to.
  it.each(loops)('a recorded loop completes as an agentic turn: $id', async (loop) => {
    const steps = loop.steps.map((id) => ({ case: id, lenient: true as const }));
    expectEvents(loop, await exchange.agentic(firstOf(loop), ...steps));
  });
});
