import { describe, expect, it } from 'vitest';
import { createAcpDriver } from '../../../../../src/core/agents/drivers/acp/acp-driver.ts';
import type { TurnEnd } from '../../../../../src/core/agents/drivers/driver.ts';
import { playTranscript, readTranscript, scenariosOf } from '../../../../helpers/agents/transcripts.ts';
import { hasSharedFixtures } from '../../../../helpers/shared-fixture.ts';

describe.skipIf(!hasSharedFixtures).each(['acp-gemini', 'acp-opencode', 'acp-claude', 'acp-codex'])(
  'the transcripts of %s',
  (agent) => {
    it.each(scenariosOf(agent))('%s is reported as it happened', async (scenario) => {
      const played = await playTranscript(agent, scenario, createAcpDriver);
      const { prompts, note } = readTranscript(agent, scenario);
      const { expected, end, calls, questions } = played;
      expect(end).toMatchObject({ outcome: expected.outcome });
      // The timer that ends a silent agent belongs to its caller, so that the driver sees a program that exits.
      if (expected.outcome === 'failed')
        expect(failureOf(end)?.class).toBe(note === undefined ? expected.failureClass : 'agent_crash');
      expect(played.text).toBe(expected.text);
      expect(played.thinking).toBe(expected.thinking ?? '');
      expect(played.plan).toEqual(expected.plan);
      expect(played.sessionId).toBe(expected.sessionId ?? undefined);

      expect(calls.map(({ kind }) => kind)).toEqual(expected.toolCalls.map(({ kind }) => kind));
      expected.toolCalls.forEach(({ input, status }, index) => {
        if (input) expect(calls[index]?.input).toMatchObject(input);
        const decision = questions.find(({ call }) => call.id === calls[index]?.id)?.decision;
        // Agents call it failed or leave it pending.
        expect(calls[index]?.status).toBe(decision === 'reject_once' ? 'declined' : status);
      });

      const answered = (kind: string, decision: string) => [kind, decision.replace(/_(?:once|always)$/, '')];
      expect(questions.map(({ call, decision }) => answered(call.kind, decision))).toEqual(
        expected.permissions.map(({ kind, decision }) => answered(kind, decision)),
      );
      expected.permissions.forEach(({ input }, index) => {
        if (input) expect(inputOf(questions[index]?.bound)).toMatchObject(input);
      });

      const { inputTokens, outputTokens, cachedInputTokens, costUsd } = expected.usage ?? {};
      // The recorded tokens are those of the last turn, and all turns of a recording use the same.
      const total = (tokens: number | undefined) =>
        tokens === undefined ? undefined : tokens * prompts.length;
      expect({ ...played.usage }).toEqual(
        withoutAbsent({
          inputTokens: total(inputTokens),
          outputTokens: total(outputTokens),
          cachedInputTokens: total(cachedInputTokens),
          costUsd: costUsd || undefined,
        }),
      );
      // 97: the driver has answered a question otherwise than the recording.
      expect(played.exit.code).not.toBe(97);
    });
  },
);

const failureOf = (end: TurnEnd | undefined) => (end?.outcome === 'failed' ? end.failure : undefined);

const inputOf = (bound: Record<string, unknown> | undefined) => bound?.['input'];

const withoutAbsent = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
