import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import type { Cli } from '../../program/cli.ts';

interface Format {
  json?: boolean;
}

/** `svc inbox read [ID…]`: the given notifications, or all of them. */
export async function markRead(cli: Cli, ids: string[], { json }: Format): Promise<void> {
  const { output } = cli;
  if (ids.length > 0) return mark(cli, 'markRead', ids, { json: json ?? false });
  const answer = await cli.connect().client.inbox.markRead({ body: {} });
  if (json) return output.json(answer);
  const { marked } = answer;
  output.note(
    marked === 0
      ? 'No unread notifications.'
      : `${marked} ${marked === 1 ? 'notification' : 'notifications'} marked as read.`,
  );
}

/** `svc inbox read ID…` and `svc inbox unread ID…`. */
export async function mark(
  cli: Cli,
  act: 'markRead' | 'markUnread',
  texts: string[],
  { json }: Format,
): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'notification'), (found) =>
      client.notifications[act]({ params: { id: found } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note(`Marked as ${act === 'markRead' ? 'read' : 'unread'}.`);
  });
}
