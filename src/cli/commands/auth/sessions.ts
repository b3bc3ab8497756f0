import type { Session } from '../../../contract/sessions.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';

interface ListOptions {
  json?: boolean;
  quiet?: boolean;
}

/** `svc auth sessions ls`. */
export async function listSessions(cli: Cli, { json, quiet }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.sessions.list();
  if (json) return output.json(answer);
  const { sessions } = answer;
  if (quiet) return output.write(sessions.map(({ id }) => `${id}\n`).join(''));
  const now = Date.now();
  const short = idShortener(output, sessions);
  output.table<Session>(
    [
      { title: '', value: ({ current }) => (current ? '*' : '') },
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'KIND', value: ({ kind }) => kind },
      { title: 'LAST SEEN', value: ({ lastSeenAt }) => formatAge(lastSeenAt, now) },
      { title: 'EXPIRES', value: ({ expiresAt }) => formatLeft(expiresAt, now) },
      { title: 'FROM', value: ({ address = '' }) => address, isElastic: true },
      { title: 'CLIENT', value: ({ userAgent = '' }) => userAgent, isElastic: true, fromWidth: 110 },
    ],
    sessions,
  );
}

/** `svc auth sessions revoke ID…`. */
export async function revokeSessions(cli: Cli, texts: string[], { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'session'), (each) =>
      client.sessions.revoke({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('Session revoked.');
  });
}
