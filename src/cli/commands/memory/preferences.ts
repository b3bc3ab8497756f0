import type { Preference } from '../../../contract/preferences.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { originWords } from '../../../contract/origin-words.ts';
import { paintOrigin } from '../experiences/format-origin.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';

interface Options {
  user?: string;
  json?: boolean;
  quiet?: boolean;
}

/** `svc memory preferences ls`. */
export async function listPreferences(cli: Cli, { user = 'me', json, quiet }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.preferences.list({ params: { userId: user } });
  if (json) return output.json(answer);
  const { preferences } = answer;
  if (quiet) return output.write(preferences.map(({ id }) => `${id}\n`).join(''));
  if (preferences.length === 0)
    return output.note('No preferences yet. Record one: svc memory preferences track tests vitest');
  const now = Date.now();
  const short = idShortener(output, preferences);
  output.table<Preference>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'CONFIDENCE', value: ({ confidence }) => confidence.toFixed(2), align: 'right' },
      { title: 'COUNT', value: ({ count }) => String(count), align: 'right' },
      { title: 'LAST SEEN', value: ({ updatedAt }) => formatAge(updatedAt, now) },
      {
        title: 'FROM',
        value: ({ origin }) => originWords(origin),
        paint: (cell, { origin }) => paintOrigin(output.paint, cell, origin),
        fromWidth: 100,
      },
      { title: 'PREFERENCE', value: ({ category, value }) => `${category}: ${value}`, isElastic: true },
    ],
    preferences,
  );
}

/** `svc memory preferences track CATEGORY VALUE`. */
export async function trackPreference(
  cli: Cli,
  category: string,
  value: string,
  { user, json }: Options,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.preferences.track({
    body: { category, value, ...(user !== undefined && { userId: user }) },
  });
  if (json) return output.json(answer);
  const { id, count, confidence } = answer.preference;
  output.write(`${id}\n`);
  output.note(
    count === 1
      ? 'Preference recorded.'
      : `Preference recorded ${count} times, confidence ${confidence.toFixed(2)}.`,
  );
}

/** `svc memory preferences rm ID…`. */
export async function removePreferences(
  cli: Cli,
  texts: string[],
  { user = 'me', json }: Options,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'preference', { within: user }), (each) =>
      client.preferences.delete({ params: { userId: user, id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note(`${answer.message}.`);
  });
}
