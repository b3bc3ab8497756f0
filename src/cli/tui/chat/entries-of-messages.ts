import type { ConversationMessage } from '../../../contract/conversations.ts';
import { atLimit } from '../parts/reduce-run.ts';
import { keyOf } from '../parts/entry-list.ts';
import type { RunEntry } from '../parts/run-entry.ts';

/** A conversation that was stored, as it stands in the transcript. */
export function entriesOfMessages(messages: readonly ConversationMessage[]): RunEntry[] {
  const entries: RunEntry[] = [];
  for (const message of messages) {
    const { role, content, toolCalls = [] } = message;
    for (const { name, arguments: args, result, status } of toolCalls)
      entries.push({
        kind: 'tool',
        key: keyOf(entries),
        callId: keyOf(entries),
        name,
        arguments: args,
        state: status === 'success' ? 'ok' : 'failed',
        result,
      });
    const key = keyOf(entries);
    if (content !== '' && role === 'user')
      entries.push({ kind: 'person', key, text: content, messageId: message.id });
    else if (content !== '' && role === 'system')
      entries.push({ kind: 'note', key, tone: 'muted', text: content });
    else if (content !== '') entries.push({ kind: 'text', key, text: content, isComplete: true });
    const end = endOf(message);
    if (end !== undefined) entries.push({ kind: 'note', key: keyOf(entries), tone: 'warning', text: end });
  }
  return entries;
}

/** What stands below an answer that is not complete, with what to do next. */
function endOf({ status, error, finishReason }: ConversationMessage): string | undefined {
  if (finishReason === 'max_round_trips') return atLimit;
  if (status === 'failed') return 'The answer failed before it was complete.';
  if (status !== 'interrupted') return undefined;
  if (error === undefined || error.code === 'CANCELLED' || error.code === 'OVERTAKEN') return 'Interrupted.';
  return `${error.message.replace(/\.$/, '')}. Send "continue" to let it go on.`;
}
