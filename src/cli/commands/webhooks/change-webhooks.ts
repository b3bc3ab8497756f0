import { choiceTable } from '../../../contract/choice-table.ts';
import type { UpdateWebhook, Webhook, WebhookEvent, WebhookFormat } from '../../../contract/webhooks.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { readSecret } from '../../input/read-secret.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';

const { events: webhookEvents } = choiceTable.webhooks.create;

interface Format {
  json?: boolean;
}
export interface AddOptions extends Format {
  event?: WebhookEvent[];
  allEvents?: boolean;
  format?: WebhookFormat;
  secretStdin?: boolean;
  tokenStdin?: boolean;
  description?: string;
}
export interface RotateOptions extends Format {
  secretStdin?: boolean;
  keepHours?: number;
}

/**
 * `svc webhooks add URL`: the secret alone on stdout, or the id where the secret came from there or where people, who
 * verify no signatures, read what is sent.
 */
export async function addWebhook(cli: Cli, url: string, options: AddOptions): Promise<void> {
  const { output } = cli;
  const { event, allEvents, format, description, json } = options;
  if ((event === undefined) !== Boolean(allEvents))
    throw new CliError(exitCodes.usage, 'No events given.', {
      next: `Subscribe to some: --event ${webhookEvents[1]}, or to all: --all-events`,
    });
  const secret = await givenSecret(cli, options);
  const token = options.tokenStdin
    ? (await readSecret(cli, 'Token: ', '--token-stdin < FILE')).trim()
    : undefined;
  const answer = await cli.connect().client.webhooks.create({
    body: {
      url,
      events: [...new Set(event ?? webhookEvents)],
      ...(format !== undefined && { format }),
      ...(secret !== undefined && { secret }),
      ...(token !== undefined && { token }),
      ...(description !== undefined && { description }),
    },
  });
  if (json) return output.json(answer);
  const { webhook } = answer;
  if (format === 'text') output.write(`${webhook.id}\n`);
  else showSecret(cli, webhook, secret);
  output.note(`Webhook is active. Test it: svc webhooks test ${webhook.id}`);
}

/** `svc webhooks rotate ID`. */
export async function rotateSecret(cli: Cli, text: string, options: RotateOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { keepHours, json } = options;
  const secret = await givenSecret(cli, options);
  const { answer } = await withId(text, idsOf(client, 'webhook'), (id) =>
    client.webhooks.rotateSecret({
      params: { id },
      body: {
        ...(secret !== undefined && { secret }),
        ...(keepHours !== undefined && { keepHours }),
      },
    }),
  );
  if (json) return output.json(answer);
  const { webhook } = answer;
  showSecret(cli, webhook, secret);
  const until = webhook.previousSecretUntil;
  output.note(
    until === undefined
      ? 'Previous secret revoked.'
      : `The previous secret also signs for another ${formatLeft(until, Date.now())}.`,
  );
}

/** `svc webhooks pause|enable ID…`. */
export async function changeWebhooks(
  cli: Cli,
  texts: string[],
  change: UpdateWebhook,
  { json }: Format,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'webhook'), (each) =>
      client.webhooks.update({ params: { id: each }, body: change }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note(
      answer.webhook.active
        ? 'Webhook enabled; pending deliveries resume.'
        : `Webhook paused. Enable it again: svc webhooks enable ${id}`,
    );
  });
}

/** `svc webhooks rm ID…`. */
export async function removeWebhooks(cli: Cli, texts: string[], { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'webhook'), (each) =>
      client.webhooks.delete({ params: { id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note('Webhook removed.');
  });
}

/** A secret is no argument, which others on the machine could see. */
const givenSecret = async (cli: Cli, { secretStdin }: { secretStdin?: boolean }) =>
  secretStdin ? (await readSecret(cli, 'Secret: ', '--secret-stdin < FILE')).trim() : undefined;

function showSecret({ output }: Cli, { id, secret }: Webhook, given: string | undefined): void {
  if (given !== undefined) return output.write(`${id}\n`);
  output.write(`${secret}\n`);
  output.note('Store this secret now; it is shown only once. The receiver verifies signatures with it.');
}
