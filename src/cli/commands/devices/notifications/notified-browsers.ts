import type { PushSubscription } from '../../../../contract/push.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { exitCodes } from '../../../errors/exit-codes.ts';
import { forEachId } from '../../../ids/for-each-id.ts';
import { idsOf } from '../../../ids/ids-of.ts';
import { withId } from '../../../ids/resolve-id.ts';
import { formatAge } from '../../../output/duration.ts';
import { escapeLine } from '../../../output/escape-text.ts';
import { idShortener } from '../../../output/shorten-ids.ts';
import type { Cli } from '../../../program/cli.ts';

/** `svc devices notifications ls`. */
export async function listBrowsers(
  cli: Cli,
  { json, quiet }: { json?: boolean; quiet?: boolean },
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const answer = await client.push.list();
  if (json) return output.json(answer);
  const { subscriptions } = answer;
  if (quiet) return output.write(subscriptions.map(({ id }) => `${id}\n`).join(''));
  if (subscriptions.length === 0)
    return output.note(
      'No browser receives notifications. Turn them on in the browser: Settings, Notifications (svc ui)',
    );
  const { devices } = await client.devices.list();
  const now = Date.now();
  const short = idShortener(output, subscriptions);
  output.table<PushSubscription>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'LAST SENT', value: ({ lastSentAt }) => (lastSentAt ? formatAge(lastSentAt, now) : 'never') },
      { title: 'KINDS', value: ({ kinds }) => kinds.join(' ') },
      {
        title: 'DEVICE',
        value: ({ deviceId }) => devices.find(({ id }) => id === deviceId)?.name ?? '',
        isElastic: true,
      },
      { title: 'SERVICE', value: ({ service }) => service, isElastic: true },
      { title: 'ERROR', value: ({ lastError = '' }) => lastError, isElastic: true, fromWidth: 110 },
    ],
    subscriptions,
  );
}

/** `svc devices notifications test ID`. */
export async function testBrowser(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'browser'), (each) =>
    client.push.sendTest({ params: { id: each } }),
  );
  if (json) return cli.output.json(answer);
  if (!answer.delivered)
    throw new CliError(
      exitCodes.failed,
      `The notification was not accepted: ${escapeLine(answer.error ?? '')}.`,
      { next: 'See: svc devices notifications ls' },
    );
  cli.output.write(`${id}\n`);
  cli.output.note('The push service of the browser accepted the notification.');
}

/** `svc devices notifications rm ID…`. */
export async function removeBrowsers(cli: Cli, texts: string[], { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'browser'), (each) =>
      client.push.unsubscribe({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('No more notifications are sent there.');
  });
}
