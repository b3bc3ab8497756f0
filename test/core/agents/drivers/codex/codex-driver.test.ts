import { describe, expect, it } from 'vitest';
import { createCodexDriver } from '../../../../../src/core/agents/drivers/codex/codex-driver.ts';
import { playTranscript, readTranscript, scenariosOf } from '../../../../helpers/agents/transcripts.ts';

const AGENT = 'codex-app-server';
const COUNTS = ['inputTokens', 'outputTokens', 'cachedInputTokens'] as const;

/** The recordings hold what Codex counts for the thread; a run reports only what it used itself. */
function usedByRun(scenario: string) {
  const { expect: expected, resumeOf } = readTranscript(AGENT, scenario);
  const before = resumeOf === undefined ? undefined : readTranscript(AGENT, resumeOf).expect.usage;
  return expected.usage
    ? Object.fromEntries(COUNTS.map((name) => [name, (expected.usage?.[name] ?? 0) - (before?.[name] ?? 0)]))
    : undefined;
}

describe.skipIf(scenariosOf(AGENT).length === 0)('a recorded run of Codex', () => {
  it.each(scenariosOf(AGENT))('reports what happened in %s', async (scenario) => {
    const played = await playTranscript(AGENT, scenario, createCodexDriver);
    const { expected, end } = played;
    const found = {
      outcome: end?.outcome,
      failureClass: end?.outcome === 'failed' ? end.failure.class : undefined,
      texts: played.texts.join('\n'),
      thinking: played.thinking,
      plan: played.plan,
      calls: played.calls.map(({ kind, status, name }) => ({ kind, status, name })),
      questions: played.questions.map(({ call, decision }) => ({ kind: call.kind, decision: decision })),
      usage: played.usage,
      sessionId: played.sessionId,
      exit: played.exit.code,
    };
    expect(found, played.stderr).toEqual({
      outcome: expected.outcome,
      failureClass: expected.failureClass,
      texts: expected.text,
      thinking: expected.thinking ?? '',
      plan: expected.plan,
      calls: expected.toolCalls.map((call) => ({
        kind: call.kind,
        status: call.status,
        name: expect.any(String),
      })),
      questions: expected.permissions.map(({ kind, decision }) => ({ kind, decision: decision })),
      usage: usedByRun(scenario),
      sessionId: expected.sessionId,
      exit: 0,
    });
    expected.toolCalls.forEach(({ input, output }, index) => {
      expect(played.calls[index]?.input).toMatchObject(input ?? {});
      expect(shorten(played.calls[index]?.output)).toEqual(output);
    });
    expect(played.questions.every(({ bound }) => bound !== undefined)).toBe(true);
    if (expected.outcome !== 'cancelled') expect(played.text).toBe(played.texts.join(''));
  });

  it.each([
    ['usage-limit', { code: 'usage_limit', resetsAt: 1_795_359_297_000 }],
    ['unknown-model', { code: 'unknown_model' }],
    ['context-too-long', { code: 'context_too_long' }],
    ['auth-401', { code: 'login_required' }],
    ['stream-cut', { code: 'connection_lost' }],
    ['server-500', { code: 'server_error' }],
    ['refusal', { code: 'refused' }],
    ['empty', { code: 'empty' }],
  ])('names the failure of %s', async (scenario, failure) => {
    const { end } = await playTranscript(AGENT, scenario, createCodexDriver);
    expect(end).toMatchObject({ outcome: 'failed', failure });
    expect(JSON.stringify(end)).not.toContain('sk-test');
  });

  it('binds the question about a file to its path and its diff', async () => {
    const { questions, calls } = await playTranscript(AGENT, 'write-file', createCodexDriver);
    expect(questions[0]).toMatchObject({
      bound: {
        changes: [
          {
            path: expect.stringMatching(/\/notes\.md$/),
            kind: 'add',
            diff: expect.stringContaining('# Notes'),
          },
        ],
      },
      paths: [{ path: expect.stringMatching(/\/notes\.md$/), operation: 'write' }],
      isExact: true,
    });
    expect(questions[0]?.call).toEqual(calls[0]);
  });

  it('binds the question about an MCP tool to its server, its name and its arguments', async () => {
    const { questions } = await playTranscript(AGENT, 'mcp-tool', createCodexDriver);
    expect(questions[0]).toMatchObject({
      bound: { server: 'eco', tool: 'echo', arguments: { text: 'through mcp' } },
      mcp: { server: 'eco', tool: 'echo' },
    });
  });
});

/** As the recordings shorten outputs. */
const shorten = (text: string | undefined) =>
  text !== undefined && text.length > 400 ? `${text.slice(0, 200)}…${text.length}` : text;
