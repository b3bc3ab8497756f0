import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { transcriptMarkdown } from '../../commands/chat/transcript-markdown.ts';
import { costText } from './cost-text.ts';
import type { SlashParts } from './slash-parts.ts';

/** Shows what the conversation used. */
export async function showCost(parts: SlashParts): Promise<void> {
  const answer = await fetchOpen(parts);
  if (answer)
    parts.apply({
      kind: 'note',
      text: costText(answer.messages, answer.conversation.usage, answer.conversation.agent),
    });
}

/** Writes the conversation to a new file. */
export async function exportConversation(argument: string, parts: SlashParts): Promise<void> {
  const { apply, folder } = parts;
  const warn = (text: string) => apply({ kind: 'note', tone: 'warning', text });
  if (argument === '') return warn('Name the file: /export chat.md');
  const answer = await fetchOpen(parts);
  if (!answer) return;
  const path = resolve(folder, argument);
  const text = transcriptMarkdown(answer.conversation, answer.messages, { calls: 'whole' });
  try {
    await writeFile(path, text, { flag: 'wx' });
    apply({ kind: 'note', text: `Exported ${answer.messages.length} messages to ${path}` });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    warn(
      code === 'EEXIST'
        ? `${path} exists already. Name another file.`
        : `${path} could not be written (${code}). Name another file.`,
    );
  }
}

/** Copies the last answer. */
export function copyAnswer({ state, apply, copy }: SlashParts): void {
  const answer = state.run.entries.findLast(({ kind }) => kind === 'text');
  if (answer?.kind !== 'text') return apply({ kind: 'note', text: 'There is no answer to copy yet.' });
  const isCopied = copy(answer.text);
  apply({
    kind: 'note',
    ...(isCopied
      ? {
          text: 'Copied the last answer with OSC 52. If the clipboard stays empty, allow it in your terminal.',
        }
      : {
          tone: 'warning',
          text: 'The last answer is too long for the clipboard. Write it to a file: /export',
        }),
  });
}

/** The conversation as the daemon has it; a note where none has begun. */
async function fetchOpen({ session, apply }: SlashParts) {
  const id = session.conversationId;
  if (id !== undefined) return session.fetch((client) => client.conversations.get({ params: { id } }));
  apply({ kind: 'note', text: 'The conversation has not begun.' });
  return undefined;
}
