import type { Cli } from '../../program/cli.ts';
import { readConversation } from './chosen-conversation.ts';
import { transcriptMarkdown } from './transcript-markdown.ts';

/** `svc chat export [ID]`: the whole conversation on stdout. */
export async function exportConversation(
  cli: Cli,
  text: string | undefined,
  { format }: { format: 'markdown' | 'json' },
): Promise<void> {
  const { conversation, messages } = await readConversation(cli.connect(), text);
  if (format === 'json') return cli.output.json({ version: '1', conversation, messages });
  cli.output.text(transcriptMarkdown(conversation, messages, { calls: 'whole' }));
}
