import type { InboundDelivery, ListInboundQuery } from '../../../contract/inbound.ts';
import { productNames, type Vendor, vendorOf, wireName } from '../../../contract/vendors.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFacts } from '../../output/facts.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';

export interface InboundOptions {
  provider?: Vendor;
  status?: NonNullable<ListInboundQuery['status']>;
  limit?: number;
  offset?: number;
  payload?: boolean;
  json?: boolean;
  quiet?: boolean;
}

const colours = { accepted: 'green', ignored: 'dim', duplicate: 'dim', refused: 'red' } as const;

/** `svc webhooks inbound`: what GitHub, Jira and Linear sent, newest first. */
export async function listInbound(cli: Cli, options: InboundOptions): Promise<void> {
  const { output } = cli;
  const { provider, status, limit, offset = 0, json, quiet } = options;
  if (options.payload)
    throw new CliError(exitCodes.usage, '--payload needs the ID of a delivery.', {
      next: 'Example: svc webhooks inbound ID --payload',
    });
  const answer = await cli.connect().client.inbound.list({
    query: {
      offset,
      ...(provider && { provider: wireName(provider) }),
      ...(status && { status }),
      ...(limit !== undefined && { limit }),
    },
  });
  if (json) return output.json(answer);
  const { deliveries, total } = answer;
  if (quiet) return output.write(deliveries.map(({ id }) => `${id}\n`).join(''));
  if (deliveries.length === 0)
    return output.note(
      provider || status
        ? 'No matching deliveries.'
        : `No inbound deliveries yet. Check the setup: svc integrations ls (${Object.values(productNames).join(', ')})`,
    );
  const now = Date.now();
  const short = idShortener(output, deliveries);
  const tasks = new Set(deliveries.flatMap(({ taskId = [] }) => taskId));
  const shortTask = idShortener(
    output,
    [...tasks].map((id) => ({ id })),
  );
  output.table<InboundDelivery>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'AGE', value: ({ receivedAt }) => formatAge(receivedAt, now) },
      { title: 'FROM', value: (each) => productNames[vendorOf(each.provider)] },
      { title: 'EVENT', value: formatEvent, isElastic: true },
      {
        title: 'STATUS',
        value: (each) => each.status,
        paint: (cell, each) => output.paint(colours[each.status], cell),
      },
      {
        title: 'TASK, REASON',
        value: ({ taskId, reason }) => [taskId && shortTask(taskId), reason].filter(Boolean).join('  '),
        isElastic: true,
      },
    ],
    deliveries,
  );
  if (offset + deliveries.length < total)
    output.note(output.paintError('dim', `${deliveries.length} of ${total}. More: --limit, --offset`));
}

/** `svc webhooks inbound ID`. */
export async function showInbound(
  cli: Cli,
  text: string,
  { payload: showPayload, json }: InboundOptions,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'inboundDelivery'), (each) =>
    client.inbound.get({ params: { id: each } }),
  );
  if (json) return output.json(answer);
  const { delivery, payload } = answer;
  if (showPayload) {
    if (payload !== undefined) return output.text(`${JSON.stringify(payload, null, 2)}\n`);
    throw new CliError(exitCodes.notFound, 'The body of this delivery is no longer stored.', {
      next: `Show the rest: svc webhooks inbound ${id}`,
    });
  }
  const { copies } = delivery;
  output.write(
    formatFacts(
      [
        ['ID', delivery.id],
        ['From', productNames[vendorOf(delivery.provider)]],
        ['Delivery ID', delivery.deliveryId],
        ['Event', formatEvent(delivery)],
        ['Source', delivery.sourceId],
        ['Sender', delivery.sender],
        ['Status', delivery.status],
        ['Reason', delivery.reason],
        ['Task', delivery.taskId],
        ['Received', delivery.receivedAt],
        ['Copies', copies > 1 ? `${copies}, last at ${delivery.lastReceivedAt}` : undefined],
        ['Bytes', String(delivery.bytes)],
        ['Replay of', delivery.replayOf],
      ],
      output.paint,
    ),
  );
  output.note(
    delivery.canReplay
      ? `\nShow the body: svc webhooks inbound ${id} --payload   Process it again: svc webhooks replay ${id}`
      : '\nThe body is no longer stored, so this delivery cannot be replayed.',
  );
}

/** `svc webhooks replay ID`: the task that it makes, or has made, alone on stdout. */
export async function replayInbound(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { answer } = await withId(text, idsOf(client, 'inboundDelivery'), (id) =>
    client.inbound.replay({ params: { id } }),
  );
  if (json) return output.json(answer);
  const { status, reason, taskId } = answer;
  if (taskId !== undefined) output.write(`${taskId}\n`);
  output.note(reason === undefined ? status : `${status}: ${escapeLine(reason)}`);
}

const formatEvent = ({ event, action }: InboundDelivery) =>
  action === undefined ? event : `${event} ${action}`;
