import type { SigningKey } from '../../../contract/keys.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc approvals keys ls`. */
export async function listKeys(
  cli: Cli,
  { json, quiet }: { json?: boolean; quiet?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.keys.list();
  if (json) return output.json(answer);
  const { keys } = answer;
  if (quiet) return output.write(keys.map(({ id }) => `${id}\n`).join(''));
  if (keys.length === 0)
    return output.note('No keys yet. A browser or machine makes one when you first decide there.');
  const now = Date.now();
  const short = idShortener(output, keys);
  output.table<SigningKey>(
    [
      { title: '', value: ({ current }) => (current ? '*' : '') },
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'ON', value: ({ name }) => visibleLine(name), isElastic: true },
      { title: 'CREATED', value: ({ createdAt }) => formatAge(createdAt, now) },
      { title: 'LAST USED', value: ({ lastUsedAt }) => (lastUsedAt ? formatAge(lastUsedAt, now) : 'never') },
      { title: 'KEY', value: ({ algorithm }) => algorithm, fromWidth: 90 },
      { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint, fromWidth: 160 },
    ],
    keys,
  );
}

/** `svc approvals keys rm ID…`. */
export async function removeKeys(cli: Cli, texts: string[], { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'signingKey'), (each) =>
      client.keys.remove({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('Key removed. To end its session too: svc auth sessions ls');
  });
}
