import type { Cli } from '../../program/cli.ts';
import { readConversation } from './chosen-conversation.ts';
import { transcriptMarkdown } from './transcript-markdown.ts';

/** `svc chat show [ID]`. */
export async function showConversation(
  cli: Cli,
  text: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await readConversation(cli.connect(), text);
  if (json) return output.json(answer);
  const { conversation, messages, pendingApprovals, currentRun } = answer;
  output.text(transcriptMarkdown(conversation, messages, { calls: 'line' }));
  if (pendingApprovals.length > 0) output.note(`Waiting for approval. Decide: svc approvals ls`);
  else if (currentRun) output.note('An answer is under way.');
  output.note(output.paintError('dim', `Continue: svc chat -c ${conversation.id}`));
}
