import type { Invite } from '../../../contract/invites.ts';
import type { Role } from '../../../contract/users.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';

export interface InviteOptions {
  role?: Role;
  email?: string;
  days?: number;
  json?: boolean;
}
interface ListOptions {
  json?: boolean;
  quiet?: boolean;
}

/** `svc auth invite`: the code, and the command that signs up with it. */
export async function invite(cli: Cli, { role, email, days, json }: InviteOptions): Promise<void> {
  const { output } = cli;
  const { client, target } = cli.connect();
  const answer = await client.invites.create({
    body: {
      ...(role !== undefined && { role }),
      ...(email !== undefined && { email }),
      ...(days !== undefined && { expiresInDays: days }),
    },
  });
  if (json) return output.json(answer);
  const { code, invite: made } = answer;
  const address = made.email === undefined ? '' : ` --email ${made.email}`;
  output.write(`${code}\n`);
  output.note(
    `It creates one account (${made.role}), expires in ${formatLeft(made.expiresAt, Date.now())} and is shown only once. To sign up, open:`,
  );
  output.note(`  ${new URL(`/sign-up?invite=${encodeURIComponent(code)}`, target.url).href}`);
  output.note('or run:');
  output.note(`  svc auth signup --url ${target.url} --invite ${code}${address}`);
}

/** `svc auth invites ls`. */
export async function listInvites(cli: Cli, { json, quiet }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.invites.list();
  if (json) return output.json(answer);
  const { invites } = answer;
  if (quiet) return output.write(invites.map(({ id }) => `${id}\n`).join(''));
  if (invites.length === 0) return output.note('No invites. Create one: svc auth invite');
  const now = Date.now();
  output.table<Invite>(
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'ROLE', value: ({ role }) => role },
      { title: 'EXPIRES', value: (each) => stateOf(each, now) },
      { title: 'CREATED', value: ({ createdAt }) => formatAge(createdAt, now), fromWidth: 100 },
      { title: 'FOR', value: ({ email = 'anyone' }) => email, isElastic: true },
    ],
    invites,
  );
}

/** `svc auth invites rm ID…`. */
export async function removeInvites(cli: Cli, texts: string[], { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'invite'), (each) =>
      client.invites.delete({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('Invite revoked.');
  });
}

const stateOf = ({ usedAt, expiresAt }: Invite, now: number) =>
  usedAt !== undefined ? 'used' : formatLeft(expiresAt, now);
