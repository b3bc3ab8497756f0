import type { Scope } from '../../../contract/scopes.ts';
import type { ApiToken } from '../../../contract/tokens.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';

export interface CreateOptions {
  scope: Scope[];
  days?: number;
  tokensPerDay?: number;
  costPerDay?: number;
  tokensPerMonth?: number;
  costPerMonth?: number;
  model?: string[];
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  json?: boolean;
}
interface ListOptions {
  json?: boolean;
  quiet?: boolean;
}

/** `svc tokens create`: the token alone on stdout. */
export async function createToken(
  cli: Cli,
  name: string,
  {
    scope,
    days,
    tokensPerDay,
    costPerDay,
    tokensPerMonth,
    costPerMonth,
    model = [],
    requestsPerMinute,
    tokensPerMinute,
    json,
  }: CreateOptions,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.tokens.create({
    body: {
      name,
      scopes: scope,
      ...(days !== undefined && { expiresInDays: days }),
      ...(tokensPerDay !== undefined && { tokensPerDay }),
      ...(costPerDay !== undefined && { costPerDay }),
      ...(tokensPerMonth !== undefined && { tokensPerMonth }),
      ...(costPerMonth !== undefined && { costPerMonth }),
      ...(model.length > 0 && { models: model }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    },
  });
  if (json) return output.json(answer);
  output.write(`${answer.token}\n`);
  output.note(
    `Store it now; it is shown only once. It ${answer.expiresAt ? `expires in ${formatLeft(answer.expiresAt, Date.now())}` : 'is valid until it is revoked'}.`,
  );
  if (answer.notifySecret !== undefined)
    output.note(
      `Notifications to a notifyUrl are signed with this secret, shown only once:\n${answer.notifySecret}`,
    );
  output.note(`Revoke it:\n  svc tokens revoke ${answer.id}`);
}

/** `svc tokens ls`. */
export async function listTokens(cli: Cli, { json, quiet }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.tokens.list();
  if (json) return output.json(answer);
  const { tokens } = answer;
  if (quiet) return output.write(tokens.map(({ id }) => `${id}\n`).join(''));
  if (tokens.length === 0)
    return output.note('No API tokens. Create one: svc tokens create NAME --scope gateway:write');
  const now = Date.now();
  const short = idShortener(output, tokens);
  output.table<ApiToken>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'TOKEN', value: ({ prefix }) => `${prefix}…` },
      { title: 'EXPIRES', value: ({ expiresAt }) => formatLeft(expiresAt, now) },
      { title: 'LAST USED', value: ({ lastUsedAt }) => (lastUsedAt ? formatAge(lastUsedAt, now) : 'never') },
      { title: 'NAME', value: ({ name }) => name, isElastic: true },
      { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), isElastic: true },
    ],
    tokens,
  );
}

/** `svc tokens revoke ID…`. */
export async function revokeTokens(cli: Cli, texts: string[], { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'token'), (each) =>
      client.tokens.revoke({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('Token revoked.');
  });
}
