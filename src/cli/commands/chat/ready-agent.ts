import { closest } from '../../../contract/closest.ts';
import type { Client } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** The version of an agent that answers in conversations, where it says one; throws where it cannot answer. */
export async function readyAgent({ agents }: Client, name: string): Promise<string | undefined> {
  const all = (await agents.list()).agents.filter(({ driver }) => driver !== undefined);
  const agent = all.find(({ type }) => type === name);
  if (!agent) {
    const types = all.map(({ type }) => type);
    const meant = closest(name, types);
    throw new CliError(
      exitCodes.invalid,
      `There is no agent "${name}" to chat with.${meant === undefined ? ` Available: ${types.join(', ')}.` : ` Did you mean ${meant}?`}`,
      { next: 'See: svc agents ls' },
    );
  }
  // A login that was refused may work by now.
  const mayAnswer = agent.configured || (agent.program !== undefined && agent.login === 'not_found');
  if (mayAnswer) return agent.version;
  throw new CliError(
    exitCodes.configuration,
    `${name} cannot answer: ${lowerFirst(agent.message ?? 'it is not ready')}`,
    {
      next: 'See: svc agents ls',
    },
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
