import type { ConversationMessage } from '../../../contract/conversations.ts';
import { keyOf } from '../parts/entry-list.ts';
import type { RunEntry } from '../parts/run-entry.ts';

/** A conversation that was stored, as it stands in the transcript. */
export function entriesOfMessages(messages: readonly ConversationMessage[]): RunEntry[] {
  const entries: RunEntry[] = [];
  for (const { role, content, toolCalls = [] } of messages) {
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
    if (content === '') continue;
    const key = keyOf(entries);
    if (role === 'user') entries.push({ kind: 'person', key, text: content });
    else if (role === 'system') entries.push({ kind: 'note', key, tone: 'muted', text: content });
    else entries.push({ kind: 'text', key, text: content, isComplete: true });
  }
  return entries;
}
