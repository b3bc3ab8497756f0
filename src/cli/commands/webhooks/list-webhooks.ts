import { choiceTable } from '../../../contract/choice-table.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import type { Cli } from '../../program/cli.ts';
import { spellAge, spellLeft } from '../../output/duration.ts';
import { layOutFacts } from '../../output/facts.ts';
import type { Output } from '../../output/output.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';

const { events: webhookEvents } = choiceTable.webhooks.create;

interface Format {
  json?: boolean;
}

const colours = { active: 'green', paused: 'yellow', failing: 'red' } as const;

/** `svc webhooks ls`. */
export async function listWebhooks(cli: Cli, { json, quiet }: Format & { quiet?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.webhooks.list();
  if (json) return output.json(answer);
  const { webhooks } = answer;
  if (quiet) return output.write(webhooks.map(({ id }) => `${id}\n`).join(''));
  if (webhooks.length === 0)
    return output.note('Nobody is told of events. Add a webhook: svc webhooks add URL --all-events');
  const now = Date.now();
  const short = idShortener(output, webhooks);
  output.table<Webhook>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'URL', value: ({ url }) => url.replace(/^https:\/\//, ''), isElastic: true },
      { title: 'EVENTS', value: spellEvents, isElastic: true },
      {
        title: 'STATUS',
        value: ({ status }) => status,
        paint: (cell, { status }) => output.paint(colours[status], cell),
      },
      { title: 'LAST', value: ({ lastDelivery }) => (lastDelivery ? spellAge(lastDelivery, now) : 'never') },
      { title: 'FAILED', value: ({ failureCount }) => String(failureCount), align: 'right' },
    ],
    webhooks,
  );
  for (const each of webhooks) adviseFailing(output, each, short(each.id));
}

/** `svc webhooks show ID`. */
export async function showWebhook(cli: Cli, text: string, { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'webhook'), (each) =>
    client.webhooks.get({ params: { id: each } }),
  );
  if (json) return output.json(answer);
  const { webhook } = answer;
  const { previousSecretUntil } = webhook;
  output.write(
    layOutFacts(
      [
        ['Id', webhook.id],
        ['URL', webhook.url],
        ['About', webhook.description],
        ['Events', webhook.events.join(', ')],
        ['Status', webhook.status],
        ['Failing', webhook.failingSince && `since ${webhook.failingSince}`],
        ['Secret', webhook.secret],
        [
          'Before',
          previousSecretUntil &&
            `the secret before signs too, for ${spellLeft(previousSecretUntil, Date.now())}`,
        ],
        ['Arrived', String(webhook.deliveryCount)],
        ['Failed', String(webhook.failureCount)],
        ['Last', webhook.lastDelivery ?? 'never'],
        ['Created', webhook.createdAt],
      ],
      output.paint,
    ),
  );
  adviseFailing(output, webhook, id);
  output.note(output.paintError('dim', `\nWhat was sent: svc webhooks deliveries ${id}`));
}

const spellEvents = ({ events }: Webhook) =>
  events.length === webhookEvents.length ? 'all' : events.join(' ');

/** What to do where sending was given up. */
function adviseFailing(output: Output, { status }: Webhook, id: string): void {
  if (status !== 'failing') return;
  output.note(`Given up: ${id}. See why: svc webhooks deliveries ${id} --failed`);
  output.note(`When it works again: svc webhooks enable ${id}`);
}
