import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import type { Cli } from '../../program/cli.ts';
import { transcriptMarkdown } from './transcript-markdown.ts';

/** `svc chat export ID`: the whole conversation on stdout. */
export async function exportConversation(
  cli: Cli,
  text: string,
  { format }: { format: 'markdown' | 'json' },
): Promise<void> {
  const { client } = cli.connect();
  const { answer } = await withId(text, idsOf(client, 'conversation'), (id) =>
    client.conversations.get({ params: { id } }),
  );
  const { conversation, messages } = answer;
  if (format === 'json') return cli.output.json({ version: '1', conversation, messages });
  cli.output.text(transcriptMarkdown(conversation, messages, { calls: 'whole' }));
}
