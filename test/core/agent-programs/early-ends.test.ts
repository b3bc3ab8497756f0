import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playedAgent } from '../../helpers/agents/recorded-runs.ts';
import { transcriptPath } from '../../helpers/agents/transcripts.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { until } from '../../helpers/tasks.ts';

const folder = () => realpathSync(temporaryFolder());
const isAnswer = ({ dir, line }: { dir: string; line: string }) =>
  dir === 'in' && /"behavior":"allow"|"decision":"accept"|"outcome":"selected"/.test(line);

/** A recording of an agent that exits once its call is allowed, or before anybody has decided. */
function cutTranscript(agent: string, when: 'in its call' | 'while it asks'): string {
  const events = readFileSync(transcriptPath(agent, 'shell-allowed'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { dir: string; line: string });
  const answered = events.findIndex(isAnswer);
  const kept = events.slice(0, when === 'in its call' ? answered + 1 : answered);
  const path = join(folder(), 'cut.jsonl');
  const exit = { t: 0, dir: 'exit', line: '{"code":1,"signal":null}' };
  writeFileSync(path, [...kept, exit].map((event) => `${JSON.stringify(event)}\n`).join(''));
  return path;
}

describe.runIf(hasSharedFixtures).each([
  ['claude', 'claude-stdio'],
  ['codex', 'codex-app-server'],
  ['gemini', 'acp-gemini'],
])('a program that exits early: %s', (agent, recorded) => {
  it.each(['in its call', 'while it asks'] as const)('ends its attempt %s', async (when) => {
    await using daemon = await startDaemon({ flags: playedAgent(agent) });
    const { client } = daemon;
    const { task } = await client.tasks.create({
      body: {
        title: when,
        prompt: 'Go.',
        assignedAgent: agent,
        cwd: folder(),
        securityMode: when === 'in its call' ? 'full' : 'ask',
        maxAttempts: 1,
        env: { AGENT_TRANSCRIPT: cutTranscript(recorded, when) },
      },
    });
    await until(async () => {
      const { task: now } = await client.tasks.get({ params: { id: task.id } });
      expect(now).toMatchObject({ status: 'failed', error: { class: 'agent_crash', code: 'exited' } });
    });
    const { approvals } = await client.approvals.list({ query: { status: 'pending' } });
    expect(approvals).toEqual([]);
  });
});

/** A recording of an agent whose question is lost, so that it waits for an answer that nobody can give. */
function unaskedTranscript(agent: string): string {
  const lines = readFileSync(transcriptPath(agent, 'shell-allowed'), 'utf8').trim().split('\n');
  const path = join(folder(), 'unasked.jsonl');
  const isQuestion = (line: string) => /can_use_tool|session\/request_permission/.test(line);
  writeFileSync(path, lines.filter((line) => !isQuestion(line)).join('\n'));
  return path;
}

describe.runIf(hasSharedFixtures).each([
  ['claude', 'claude-stdio'],
  ['opencode', 'acp-opencode'],
])('a program whose question is lost: %s', (agent, recorded) => {
  it('ends its attempt with the silence', async () => {
    await using daemon = await startDaemon({
      flags: { ...playedAgent(agent), 'agents.silenceMs': 1000 },
    });
    const { client } = daemon;
    const { task } = await client.tasks.create({
      body: {
        title: 'Lost',
        prompt: 'Go.',
        assignedAgent: agent,
        cwd: folder(),
        securityMode: 'ask',
        maxAttempts: 1,
        env: { AGENT_TRANSCRIPT: unaskedTranscript(recorded) },
      },
    });
    await until(async () => {
      const { task: now } = await client.tasks.get({ params: { id: task.id } });
      expect(now).toMatchObject({ status: 'failed', error: { class: 'timeout', code: 'silent' } });
    });
  });
});
