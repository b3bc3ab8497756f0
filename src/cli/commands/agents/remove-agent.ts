import { closest } from '../../../contract/closest.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';
import { readAddedAgents, writeAddedAgents } from './added-agents.ts';

/** `svc agents rm NAME`. */
export async function removeAgent(cli: Cli, name: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { [name]: removed, ...others } = await readAddedAgents(client);
  if (!removed) throw await notRemovable(cli, name, Object.keys(others));
  const { agents } = await client.agents.list();
  await writeAddedAgents(client, others);
  if (json) return output.json({ message: 'Agent removed', type: name });
  output.note('Agent removed.');
  if (agents.some(({ type, isDefault }) => isDefault && type === name))
    output.note(
      `${output.paintError('yellow', '!')} It was the default agent. Set another: svc config set agents.default builtin`,
    );
}

async function notRemovable(cli: Cli, name: string, added: string[]): Promise<CliError> {
  const { types } = await cli.connect().client.agents.listTypes();
  if (types.includes(name))
    return new CliError(exitCodes.invalid, `${name} comes with svc and cannot be removed.`, {
      next: 'Take its tasks away by naming another agent: svc config set agents.default builtin',
    });
  const meant = closest(name, added);
  return new CliError(
    exitCodes.notFound,
    `There is no agent "${name}".${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    { next: 'See: svc agents ls' },
  );
}
