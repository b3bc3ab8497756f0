import type { Agent } from '../../../contract/agents.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface Options {
  json?: boolean;
}

const stateOf = ({ configured, healthy }: Agent) =>
  !configured ? 'not configured' : healthy ? 'healthy' : 'unhealthy';

/** `svc agents ls`. */
export async function listAgents(cli: Cli, { json }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.agents.list();
  if (json) return output.json(answer);
  output.table<Agent>(
    [
      { title: 'TYPE', value: ({ type, isDefault }) => (isDefault ? `${type} (default)` : type) },
      {
        title: 'STATE',
        value: stateOf,
        paint: (cell, agent) =>
          output.paint(!agent.configured ? 'dim' : agent.healthy ? 'green' : 'red', cell),
      },
      { title: 'COMPLETED', value: ({ stats }) => String(stats.completed), align: 'right' },
      { title: 'FAILED', value: ({ stats }) => String(stats.failed), align: 'right' },
      { title: 'DESCRIPTION', value: ({ message, description }) => message ?? description, isElastic: true },
    ],
    answer.agents,
  );
}

/** `svc agents test [TYPE]`: exit code 1 when one is not healthy. */
export async function testAgents(cli: Cli, type: string | undefined, { json }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.agents.list();
  const chosen = answer.agents.filter((agent) =>
    type === undefined ? agent.configured : agent.type === type,
  );
  if (type !== undefined && chosen.length === 0) throw noSuchAgent(type, answer.agents);
  if (chosen.some(({ healthy }) => !healthy)) cli.exitCode = exitCodes.failed;
  if (json) return output.json(type === undefined ? answer : { agents: chosen });
  for (const agent of chosen) {
    const mark = agent.healthy ? output.paint('green', '✓') : output.paint('red', '✗');
    const latency = agent.latencyMs === undefined ? '' : ` in ${Math.round(agent.latencyMs)} ms`;
    const message = agent.message === undefined ? '' : `: ${escapeLine(agent.message)}`;
    output.write(`${mark} ${agent.type} ${stateOf(agent)}${latency}${message}\n`);
  }
  if (chosen.length === 0) output.note('No agent is configured. See: svc agents ls');
}

function noSuchAgent(type: string, agents: Agent[]): CliError {
  const types = agents.map((agent) => agent.type);
  const meant = closest(type, types);
  return new CliError(
    exitCodes.invalid,
    `There is no agent "${type}". ${meant === undefined ? `Available: ${types.join(', ')}.` : `Did you mean ${meant}?`}`,
    { next: 'See: svc agents ls' },
  );
}
