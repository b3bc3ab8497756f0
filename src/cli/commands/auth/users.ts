import type { Client } from '../../../contract/client.ts';
import type { Account, Role } from '../../../contract/users.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';

interface ListOptions {
  json?: boolean;
  quiet?: boolean;
}
export interface SetOptions {
  role?: Role;
  disable?: boolean;
  enable?: boolean;
  json?: boolean;
}

/** `svc auth users ls`. */
export async function listUsers(cli: Cli, { json, quiet }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.users.list();
  if (json) return output.json(answer);
  const { users } = answer;
  if (quiet) return output.write(users.map(({ id }) => `${id}\n`).join(''));
  const now = Date.now();
  output.table<Account>(
    [
      { title: 'ID', value: ({ id }) => id, fromWidth: 100 },
      { title: 'E-MAIL', value: ({ email }) => email, isElastic: true },
      { title: 'NAME', value: ({ name }) => name, isElastic: true },
      { title: 'ROLE', value: ({ role }) => role },
      { title: 'STATE', value: stateOf },
      { title: 'CREATED', value: ({ createdAt }) => formatAge(createdAt, now) },
    ],
    users,
  );
}

/** `svc auth users set ID`. */
export async function setUser(cli: Cli, text: string, options: SetOptions): Promise<void> {
  const { role, disable = false, enable = false, json } = options;
  const { output } = cli;
  if (disable && enable) throw new CliError(exitCodes.usage, 'Use either --disable or --enable, not both.');
  if (role === undefined && !disable && !enable)
    throw new CliError(exitCodes.usage, 'Nothing to change.', {
      next: 'Pass --role, --disable or --enable.',
    });
  const { client } = cli.connect();
  const id = await findUser(client, text);
  const answer = await client.users.update({
    params: { id },
    body: { ...(role !== undefined && { role }), ...((disable || enable) && { disabled: disable }) },
  });
  if (json) return output.json(answer);
  const { user } = answer;
  output.write(`${user.id}\n`);
  output.note(`${escapeLine(user.name)} <${escapeLine(user.email)}>: ${user.role}, ${stateOf(user)}`);
}

/** People are known by their address. */
async function findUser(client: Client, text: string): Promise<string> {
  if (!text.includes('@')) return resolveId(text, idsOf(client, 'user'));
  const { users } = await client.users.list();
  const found = users.find(({ email }) => email === text.toLowerCase());
  if (found) return found.id;
  throw new CliError(exitCodes.notFound, `There is no user ${text}.`, {
    next: 'See them: svc auth users ls',
  });
}

const stateOf = ({ disabled, isOwner }: Account) => (disabled ? 'disabled' : isOwner ? 'owner' : 'active');
