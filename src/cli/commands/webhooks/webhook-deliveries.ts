import type { WebhookDelivery } from '../../../contract/webhooks.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatDuration, formatLeft } from '../../output/duration.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId, withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface Format {
  json?: boolean;
}
export interface DeliveriesOptions extends Format {
  failed?: boolean;
  status?: WebhookDelivery['status'];
  limit?: number;
  quiet?: boolean;
}

const colours = { delivered: 'green', pending: 'yellow', failed: 'red' } as const;

/** `svc webhooks deliveries WEBHOOK`. */
export async function listDeliveries(
  cli: Cli,
  text: string,
  { failed, status = failed ? 'failed' : undefined, limit, json, quiet }: DeliveriesOptions,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const query = { ...(status && { status }), ...(limit !== undefined && { limit }) };
  const { id, answer } = await withId(text, idsOf(client, 'webhook'), (each) =>
    client.webhooks.listDeliveries({ params: { id: each }, query }),
  );
  if (json) return output.json(answer);
  const { deliveries } = answer;
  if (quiet) return output.write(deliveries.map((each) => `${each.id}\n`).join(''));
  if (deliveries.length === 0)
    return output.note(
      status ? 'No matching deliveries.' : `No deliveries yet. Test it: svc webhooks test ${id}`,
    );
  const now = Date.now();
  const short = idShortener(output, deliveries);
  output.table<WebhookDelivery>(
    [
      { title: 'ID', value: (each) => short(each.id) },
      { title: 'EVENT', value: ({ event }) => event },
      {
        title: 'STATUS',
        value: (each) => each.status,
        paint: (cell, each) => output.paint(colours[each.status], cell),
      },
      { title: 'CODE', value: ({ statusCode }) => (statusCode === undefined ? '-' : String(statusCode)) },
      { title: 'ATTEMPT', value: ({ attempt }) => String(attempt), align: 'right' },
      {
        title: 'NEXT',
        value: ({ nextAttemptAt }) => (nextAttemptAt ? formatWhen(nextAttemptAt, now) : '-'),
      },
      { title: 'AGE', value: ({ at }) => formatAge(at, now) },
      { title: 'ERROR', value: ({ error = '' }) => error, isElastic: true, fromWidth: 100 },
    ],
    deliveries,
  );
  if (deliveries.length === answer.limit)
    output.note(output.paintError('dim', `Showing the newest ${answer.limit}. More: --limit`));
  const broken = deliveries.find((each) => each.status === 'failed');
  if (broken) output.note(`Redeliver one: svc webhooks redeliver ${text} ${short(broken.id)}`);
}

/** `svc webhooks redeliver WEBHOOK DELIVERY`. */
export async function redeliver(
  cli: Cli,
  webhookText: string,
  deliveryText: string,
  { json }: Format,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(webhookText, idsOf(client, 'webhook'));
  const { id: deliveryId, answer } = await withId(
    deliveryText,
    idsOf(client, 'delivery', { within: id }),
    (each) => client.webhooks.redeliver({ params: { id, deliveryId: each } }),
  );
  if (json) output.json(answer);
  else output.write(`${deliveryId}\n`);
  report(cli, answer.delivery, json);
}

/** `svc webhooks test ID`: exits with 0 only if the receiver accepted it. */
export async function testWebhook(cli: Cli, text: string, { json }: Format): Promise<void> {
  const { client } = cli.connect();
  const wait = { isShown: !json, text: 'waiting for the receiver' };
  const { answer } = await withId(text, idsOf(client, 'webhook'), (id) =>
    whileWaiting(cli.output, wait, () => client.webhooks.sendTest({ params: { id } })),
  );
  if (json) cli.output.json(answer);
  report(cli, answer.delivery, json);
}

/** Reports the outcome of a delivery, with an exit code. */
function report(cli: Cli, delivery: WebhookDelivery, isQuiet = false): void {
  const { status, statusCode, error, durationMs, nextAttemptAt, webhookId } = delivery;
  const why = error ?? (statusCode === undefined ? 'no response' : `HTTP ${statusCode}`);
  if (status === 'delivered') {
    const took = durationMs === undefined ? '' : ` in ${formatDuration(durationMs)}`;
    if (!isQuiet) cli.output.note(`Delivered${took} (HTTP ${statusCode ?? 200}).`);
    return;
  }
  const again = nextAttemptAt ? `Next attempt ${formatWhen(nextAttemptAt, Date.now())}` : undefined;
  if (status === 'pending')
    throw new CliError(exitCodes.pending, `Not delivered yet: ${why}.`, {
      next: again ?? `See: svc webhooks deliveries ${webhookId}`,
    });
  throw new CliError(exitCodes.failed, `Delivery failed: ${why}.`, {
    next: `See: svc webhooks deliveries ${webhookId} --failed`,
  });
}

const formatWhen = (timestamp: string, now: number) =>
  Date.parse(timestamp) <= now ? 'now' : `in ${formatLeft(timestamp, now)}`;
