import { realpathSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/contract/task.ts';
import { playedAgent, type RecordedRun, runRecorded } from '../../helpers/agents/recorded-runs.ts';
import { readTranscript, scenariosOf } from '../../helpers/agents/transcripts.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { everyNth } from '../../helpers/long.ts';

/** The agents that come with svc, and the recordings of each. */
const agents = {
  claude: 'claude-stdio',
  codex: 'codex-app-server',
  gemini: 'acp-gemini',
  opencode: 'acp-opencode',
} as const;

/** Recordings in which a person allowed more than one call, which svc never tells an agent. */
const remembers = (agent: string, scenario: string) => agent !== 'claude' && scenario === 'allow-always';
/** Recordings of an agent that says nothing: the time limit of silence is another test. */
const isSilent = (folder: string, scenario: string) => readTranscript(folder, scenario).note !== undefined;
/** Afterwards the agent takes no work. */
const closes = /^(auth-401|usage-limit)/;
const isSecondHalf = /^resume-2$|^two-turns$/;

/** What a person can see of how a run ended. */
function endOf({ task, events }: RecordedRun): { outcome: string; failureClass?: FailureClass | undefined } {
  const wait = events.find(({ type }) => ['retry_scheduled', 'deferred', 'waiting_for_agent'].includes(type));
  if (wait?.type === 'waiting_for_agent') return { outcome: 'failed', failureClass: 'auth' };
  if (wait) return { outcome: 'failed', failureClass: wait.data['class'] as FailureClass };
  if (task.status === 'failed') return { outcome: 'failed', failureClass: task.error?.class };
  return { outcome: task.status };
}

async function play(daemon: TestDaemon, agent: keyof typeof agents, scenario: string): Promise<void> {
  const cwd = realpathSync(temporaryFolder());
  const run = await runRecorded(daemon, agent, [agents[agent], scenario], { cwd });
  const { outcome, failureClass, text, usage } = run.transcript.expect;
  expect({ scenario, ...endOf(run) }).toEqual({
    scenario,
    outcome,
    ...(failureClass !== undefined && { failureClass }),
  });
  if (outcome !== 'completed') return;
  expect(run.task.result?.output).toBe(text);
  if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined)
    expect(run.task.result?.usage).toMatchObject({ outputTokens: usage.outputTokens });
}

describe.each(Object.keys(agents) as (keyof typeof agents)[])('the agent %s', (agent) => {
  const scenarios = scenariosOf(agents[agent]).filter(
    (scenario) =>
      !isSecondHalf.test(scenario) && !remembers(agent, scenario) && !isSilent(agents[agent], scenario),
  );

  it.runIf(scenarios.length > 0)('ends each recorded run as it ended in truth', async () => {
    await using daemon = await startDaemon({ flags: playedAgent(agent) });
    const open = everyNth(
      3,
      scenarios.filter((scenario) => !closes.test(scenario)),
    );
    await Promise.all(open.map((scenario) => play(daemon, agent, scenario)));
    for (const scenario of scenarios.filter((one) => closes.test(one)).reverse())
      await play(daemon, agent, scenario);
  });
});
