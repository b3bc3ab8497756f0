import { resolve } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';
import { chosenVariables, type EnvironmentOptions } from '../run/task-environment.ts';
import { readAddedAgents, writeAddedAgents } from './added-agents.ts';

export interface AddAgentOptions extends EnvironmentOptions {
  model?: string;
  force?: boolean;
  json?: boolean;
}

/** `svc agents add NAME -- PROGRAM ARGS…`. */
export async function addAgent(
  cli: Cli,
  name: string,
  [program = '', ...args]: string[],
  options: AddAgentOptions,
): Promise<void> {
  const { output, platform } = cli;
  const { model, force = false, json } = options;
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw new CliError(
      exitCodes.invalid,
      `"${name}" cannot be the name of an agent. Expected lower-case letters, digits and hyphens, at most 40.`,
      { next: 'Example: svc agents add my-agent --acp -- my-agent --acp' },
    );
  const { client, target } = cli.connect();
  const added = await readAddedAgents(client);
  const { types } = await client.agents.listTypes();
  if (types.includes(name) && !Object.hasOwn(added, name)) throw comesWithSvc(name);
  if (Object.hasOwn(added, name) && !force)
    throw new CliError(exitCodes.invalid, `There is an agent "${name}" already.`, {
      next: 'Replace it with --force, or remove it: svc agents rm ' + name,
    });
  const env = chosenVariables(options, platform.env, ['command']);
  await writeAddedAgents(client, {
    ...added,
    [name]: {
      // The daemon has another working directory.
      program: program.includes('/') && target.isLocal ? resolve(program) : program,
      args,
      env,
      ...(model !== undefined && { model }),
    },
  });
  const { agent } = await client.agents.get({ params: { type: name } });
  if (json) return output.json({ agent });
  if (agent.program === undefined)
    output.note(`${output.paintError('yellow', '!')} ${agent.message ?? 'Its program was not found'}`);
  output.note(`${name} added. Test it: svc agents test ${name}`);
}

const comesWithSvc = (name: string) =>
  new CliError(exitCodes.invalid, `${name} comes with svc and cannot be added.`, {
    next: `See the commands that change it: svc agents show ${name}`,
  });
