import type { PromptMessage } from '../../providers/prompt.ts';
import type { MessageRow } from '../../storage/rows/conversations.ts';
import { answerMessages } from './answer-messages.ts';
import { textOf } from './tool-free.ts';

/** A stored message as models see it again. */
export interface HistoryMessage extends PromptMessage {
  seq: number;
}

const NO_ANSWER = '[This message got no answer.]';

/**
 * The stored messages as a model sees them: each answer behind the message that it answers, with its tool calls, and a
 * note where there is none, so that two messages of the user are never read as one. With `upTo` it ends with that
 * message, and leaves out what came after it.
 */
export function historyOf(rows: readonly MessageRow[], upTo?: string): HistoryMessage[] {
  const positions = new Map(rows.map(({ id, seq }) => [id, seq]));
  const last = upTo === undefined ? undefined : positions.get(upTo);
  const placed = rows
    .map((row) => ({ row, at: (row.reply_to === null ? undefined : positions.get(row.reply_to)) ?? row.seq }))
    .filter(({ row, at }) => last === undefined || at < last || row.id === upTo)
    .toSorted((one, other) => one.at - other.at || one.row.seq - other.row.seq);
  return placed.flatMap(({ row }, index) => {
    const before = placed[index - 1]?.row;
    const isUnanswered = row.role === 'user' && before?.role === 'user';
    const note: HistoryMessage = { seq: row.seq - 1, role: 'assistant', content: NO_ANSWER };
    return [...(isUnanswered ? [note] : []), toHistoryMessage(row)];
  });
}

function toHistoryMessage(row: MessageRow): HistoryMessage {
  const { seq, content } = row;
  if (row.role !== 'assistant') return { seq, role: row.role === 'user' ? 'user' : 'system', content };
  const messages = answerMessages(row);
  return { seq, role: 'assistant', content: messages.map(textOf).join('\n\n'), messages };
}
