import type { DeadLetter } from '../../../contract/dlq.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { formatAge } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';

const PAGE = 500;

export interface ListOptions {
  status: string;
  limit?: number;
  offset?: number;
  json?: boolean;
  quiet?: boolean;
}
export interface BulkOptions {
  all?: boolean;
  class?: string;
  limit?: number;
  note?: string;
  json?: boolean;
}

/** `svc dlq ls`. */
export async function listDeadLetters(
  cli: Cli,
  { status, limit, offset, json, quiet }: ListOptions,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.dlq.list({
    query: {
      status: status as 'all',
      ...(limit !== undefined && { limit }),
      ...(offset !== undefined && { offset }),
    },
  });
  if (json) return output.json(answer);
  const { items, total } = answer;
  if (quiet) return output.write(items.map(({ id }) => `${id}\n`).join(''));
  if (items.length === 0)
    return output.note(
      status === 'pending'
        ? 'No pending dead letters. List all: svc dlq ls --status all'
        : 'No matching dead letters.',
    );
  const now = Date.now();
  const short = idShortener(output, items);
  output.table<DeadLetter>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'STATUS', value: (item) => item.status, fromWidth: 100 },
      { title: 'CLASS', value: (item) => item.class },
      { title: 'FAILED', value: ({ createdAt }) => formatAge(createdAt, now), fromWidth: 90 },
      { title: 'TITLE', value: ({ title }) => title, isElastic: true },
      { title: 'ERROR', value: ({ lastError }) => lastError, isElastic: true, fromWidth: 110 },
    ],
    items,
  );
  if (items.length < total)
    output.note(output.paintError('dim', `${items.length} of ${total}. More: --limit, --offset`));
}

/** `svc dlq show ID`. */
export async function showDeadLetter(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'deadLetter'));
  const answer = await client.dlq.get({ params: { id } });
  if (json) return output.json(answer);
  const { item } = answer;
  const facts: [string, string | undefined][] = [
    ['ID', item.id],
    ['Task', item.taskId],
    ['Title', item.title],
    ['Status', item.resolution === undefined ? item.status : `${item.status} (${item.resolution})`],
    ['Class', item.class],
    ['Attempts', String(item.attempts)],
    ['First error', item.firstError],
    ['Last error', item.lastError],
    ['Failed', item.createdAt],
    ['Resolved', item.resolvedAt],
    ['Note', item.note],
  ];
  for (const [name, value] of facts)
    if (value !== undefined) output.write(`${output.paint('dim', name.padEnd(11))} ${escapeLine(value)}\n`);
  if (item.status === 'pending')
    output.note(`\nRetry it: svc dlq retry ${id}   Discard it: svc dlq discard ${id}`);
}

/** `svc dlq retry|discard|resolve`: the given IDs, or all pending ones. */
export async function changeDeadLetters(
  cli: Cli,
  verb: 'retry' | 'discard' | 'resolve',
  texts: string[],
  options: BulkOptions,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  if (texts.length > 0 === Boolean(options.all))
    throw new CliError(exitCodes.usage, 'Specify dead letters, or pass --all.', {
      next: 'See them: svc dlq ls',
    });
  const ids = options.all ? await pendingIds(cli, options) : texts;
  if (ids.length === 0) return output.note('No pending dead letters.');
  await forEachId(cli, ids, async (text) => {
    const id = await resolveId(text, idsOf(client, 'deadLetter'));
    const body = options.note === undefined ? {} : { note: options.note };
    const answer =
      verb === 'resolve'
        ? await client.dlq.resolve({ params: { id }, body })
        : await client.dlq[verb]({ params: { id } });
    if (options.json) return output.json(answer);
    output.write(`${answer.item.id}\n`);
    output.note(
      `${answer.item.taskId} ${{ retry: 'requeued', discard: 'discarded', resolve: 'resolved' }[verb]}`,
    );
  });
}

async function pendingIds(
  cli: Cli,
  { class: failureClass, limit = Number.POSITIVE_INFINITY }: BulkOptions,
): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await cli
      .connect()
      .client.dlq.list({ query: { status: 'pending', limit: PAGE, offset } });
    for (const item of items)
      if (failureClass === undefined || item.class === failureClass) ids.push(item.id);
    if (items.length < PAGE || ids.length >= limit) return ids.slice(0, limit);
  }
}
