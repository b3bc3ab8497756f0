import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { confirm } from '../../input/ask.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc chat rm ID…`. */
export async function removeConversations(
  cli: Cli,
  ids: string[],
  { yes }: { yes?: boolean },
): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, ids, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'conversation'), (each) =>
      client.conversations.get({ params: { id: each } }),
    );
    const { title, messageCount } = answer.conversation;
    const what = `"${escapeLine(title)}" with ${messageCount} ${messageCount === 1 ? 'message' : 'messages'}`;
    if (!yes && !(await confirm(cli, `Delete ${what}?`)))
      throw new CliError(exitCodes.cancelled, `${id} was not deleted.`);
    await client.conversations.delete({ params: { id } });
    cli.output.note(`Deleted ${what}.`);
  });
}
