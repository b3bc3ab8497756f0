import { choiceTable } from '../../../contract/choice-table.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { formatFacts } from '../../output/facts.ts';
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
  if (webhooks.length === 0) return output.note('No webhooks. Add one: svc webhooks add URL --all-events');
  const now = Date.now();
  const short = idShortener(output, webhooks);
  output.table<Webhook>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'URL', value: ({ url }) => url.replace(/^https:\/\//, ''), isElastic: true },
      { title: 'EVENTS', value: formatEvents, isElastic: true },
      {
        title: 'STATUS',
        value: ({ status }) => status,
        paint: (cell, { status }) => output.paint(colours[status], cell),
      },
      {
        title: 'LAST DELIVERY',
        value: ({ lastDelivery }) => (lastDelivery ? formatAge(lastDelivery, now) : 'never'),
      },
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
    formatFacts(
      [
        ['ID', webhook.id],
        ['URL', webhook.url],
        ['Description', webhook.description],
        ['Events', webhook.events.join(', ')],
        ['Format', webhook.format],
        ['Status', webhook.status],
        ['Failing', webhook.failingSince && `since ${webhook.failingSince}`],
        ['Secret', webhook.secret],
        ['Token', webhook.token],
        [
          'Previous secret',
          previousSecretUntil && `also signs for another ${formatLeft(previousSecretUntil, Date.now())}`,
        ],
        ['Delivered', String(webhook.deliveryCount)],
        ['Failed', String(webhook.failureCount)],
        ['Last delivery', webhook.lastDelivery ?? 'never'],
        ['Created', webhook.createdAt],
      ],
      output.paint,
    ),
  );
  adviseFailing(output, webhook, id);
  output.note(output.paintError('dim', `\nList deliveries: svc webhooks deliveries ${id}`));
}

const formatEvents = ({ events }: Webhook) =>
  events.length === webhookEvents.length ? 'all' : events.join(' ');

/** Explains how to re-enable a webhook that was disabled after repeated failures. */
function adviseFailing(output: Output, { status }: Webhook, id: string): void {
  if (status !== 'failing') return;
  output.note(`${id} was disabled after repeated failures. See why: svc webhooks deliveries ${id} --failed`);
  output.note(`Re-enable it once fixed: svc webhooks enable ${id}`);
}
