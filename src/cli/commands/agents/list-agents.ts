import type { Agent } from '../../../contract/agents.ts';
import { stateOf } from '../../../contract/agent-state-words.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { nextStep, stateStyle, stateWord } from './agent-state.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

/** `svc agents ls`. */
export async function listAgents(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await whileWaiting(output, { isShown: !json, text: 'checking the agents' }, () =>
    cli.connect().client.agents.list(),
  );
  if (json) return output.json(answer);
  // Those that are not installed come last; the others stay in their order.
  const agents = answer.agents.toSorted((a, b) => Number(isAbsent(a)) - Number(isAbsent(b)));
  const dim = (cell: string, agent: Agent) => (isAbsent(agent) ? output.paint('dim', cell) : cell);
  output.table<Agent>(
    [
      {
        title: 'NAME',
        value: ({ type, isDefault }) => (isDefault ? `${type} (default)` : type),
        paint: dim,
        isElastic: true,
      },
      { title: 'DRIVER', value: ({ driver = 'built in' }) => driver, paint: dim },
      { title: 'VERSION', value: ({ version = '' }) => version, paint: dim },
      { title: 'LOGIN', value: loginOf },
      {
        title: 'STATE',
        value: stateWord,
        paint: (cell, agent) => output.paint(stateStyle(agent), cell),
      },
    ],
    agents,
  );
  if (answer.daemon !== undefined)
    output.note(
      `\nThese are of the daemon ${escapeLine(answer.daemon)}. A task runs on any that has its agent: svc cluster ls`,
    );
  const steps = agents.flatMap((agent): [string, string][] => {
    const step = nextStep(agent);
    return step === undefined ? [] : [[agent.type, step]];
  });
  if (steps.length === 0) return;
  const width = Math.max(...steps.map(([type]) => type.length));
  output.note('');
  for (const [type, step] of steps)
    output.note(output.paintError('dim', `${type.padEnd(width)}  ${escapeLine(step)}`));
}

const isAbsent = (agent: Agent) => stateOf(agent) === 'not_installed';

/** Whether there is a login matters only for a program that is there. */
const loginOf = (agent: Agent) =>
  isAbsent(agent) || agent.login === undefined ? '' : agent.login === 'found' ? 'found' : 'not found';
