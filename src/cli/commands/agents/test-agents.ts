import type { Agent, AgentTestStep } from '../../../contract/agents.ts';
import { agentTestWords } from '../../../contract/agent-test-words.ts';
import { stateOf } from '../../../contract/agent-state-words.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { nextStep, stateWord } from './agent-state.ts';
import { findAgent } from './find-agent.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface Options {
  model?: string;
  json?: boolean;
}

const marks = {
  ok: ['green', '✓'],
  failed: ['red', '✗'],
  attention: ['yellow', '!'],
  not_asked: ['yellow', '-'],
  skipped: ['dim', '-'],
} as const;

/** `svc agents test [NAME]`: exit code 1 when an agent is not healthy, or a step of its test fails. */
export async function testAgents(cli: Cli, type: string | undefined, options: Options): Promise<void> {
  const { client } = cli.connect();
  if (type === undefined) {
    const wait = { isShown: !options.json, text: 'checking the agents' };
    const answer = await whileWaiting(cli.output, wait, () => client.agents.list());
    const configured = answer.agents.filter((agent) => agent.configured);
    return reportHealth(cli, configured, options.json ? answer : undefined);
  }
  const agent = await findAgent(client, type);
  if (agent.driver === undefined)
    return reportHealth(cli, [agent], options.json ? { agents: [agent] } : undefined);
  return testProgram(cli, agent, options);
}

function reportHealth(cli: Cli, agents: Agent[], answer: { agents: Agent[] } | undefined): void {
  const { output } = cli;
  if (agents.some(({ healthy }) => !healthy)) cli.exitCode = exitCodes.failed;
  if (answer) return output.json(answer);
  for (const agent of agents) {
    const isReady = stateOf(agent) === 'ready';
    const [colour, mark] = marks[!agent.healthy ? 'failed' : isReady ? 'ok' : 'attention'];
    const latency = agent.latencyMs === undefined ? '' : ` in ${Math.round(agent.latencyMs)} ms`;
    const step = nextStep(agent);
    const more = step === undefined ? '' : `: ${escapeLine(step)}`;
    output.write(
      `${output.paint(colour, mark)} ${agent.type} ${isReady ? 'healthy' : stateWord(agent)}${latency}${more}\n`,
    );
  }
  if (agents.length === 0) output.note('No agent is configured. See: svc agents ls');
}

async function testProgram(cli: Cli, agent: Agent, { model, json }: Options): Promise<void> {
  const { output } = cli;
  const { type } = agent;
  if (!json && stateOf(agent) !== 'not_installed')
    output.note(output.paintError('dim', `Testing ${type}: three short prompts, nothing is allowed to run`));
  const steps: AgentTestStep[] = [];
  const body = model === undefined ? {} : { model };
  for await (const { data } of cli.connect().client.agents.testStream({ params: { type }, body })) {
    steps.push(data);
    if (!json) output.write(`${formatStep(cli, data)}\n`);
  }
  const ok = steps.length > 0 && steps.every(({ status }) => status !== 'failed');
  if (!ok) cli.exitCode = exitCodes.failed;
  if (json) return output.json({ agent: type, ok, steps });
  output.note(
    ok
      ? `${type} works. Use it: svc run -a ${type} "…"`
      : `${type} does not work yet. See: svc agents show ${type}`,
  );
}

function formatStep({ output }: Cli, { name, status, message = '', durationMs }: AgentTestStep): string {
  const [colour, mark] = marks[status];
  const title = agentTestWords[name].padEnd(
    Math.max(...Object.values(agentTestWords).map(({ length }) => length)),
  );
  if (status === 'skipped') return output.paint('dim', `${mark} ${title}          skipped`);
  const time = formatDuration(durationMs).padStart(7);
  return `${output.paint(colour, mark)} ${title} ${output.paint('dim', time)}  ${escapeLine(message)}`.trimEnd();
}
