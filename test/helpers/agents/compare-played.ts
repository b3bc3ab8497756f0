import { expect } from 'vitest';
import type { AgentUsage } from '../../../src/core/agents/drivers/driver.ts';
import type { Played } from './transcripts.ts';

/** What a transcript says otherwise than a driver has to report it; each with its reason. */
export interface KnownDifferences {
  usage?: Partial<AgentUsage>;
}

/** Compares what a driver reported of a transcript with what the transcript expects. */
export function comparePlayed(played: Played, differences: KnownDifferences = {}): void {
  const { expected, end, calls, questions } = played;
  // The player ends with 96 or 97 where the driver did not do as was recorded.
  expect(played.exit.code, played.stderr).not.toSatisfy((code) => code === 96 || code === 97);
  expect(end?.outcome, played.stderr).toBe(expected.outcome);
  expect(end?.outcome === 'failed' ? end.failure.class : undefined).toBe(expected.failureClass);
  expect(played.text).toBe(expected.text);
  // The text of the last turn ends the text of all.
  expect(played.text.endsWith(end?.text ?? '')).toBe(true);
  expect(played.thinking).toBe(expected.thinking ?? '');
  expect(played.plan).toEqual(expected.plan);
  expect(calls.map(({ kind, status }) => ({ kind, status }))).toEqual(
    expected.toolCalls.map(({ kind, status }) => ({ kind, status })),
  );
  for (const [index, { input }] of expected.toolCalls.entries())
    if (input) expect(calls[index]?.input).toMatchObject(input);
  expect(questions.map(({ call, decision }) => ({ kind: call.kind, decision }))).toEqual(
    expected.permissions.map(({ kind, decision }) => ({ kind, decision })),
  );
  for (const [index, { input }] of expected.permissions.entries()) {
    const bound = questions[index]?.bound;
    if (input) expect(bound?.['input'] ?? bound).toMatchObject(input);
  }
  const usage = { ...expected.usage, ...differences.usage };
  for (const key of ['inputTokens', 'outputTokens', 'cachedInputTokens', 'costUsd'] as const)
    if (usage[key] !== undefined) expect(played.usage?.[key], key).toBeCloseTo(usage[key], 10);
  expect(played.sessionId).toBe(expected.sessionId ?? undefined);
}
