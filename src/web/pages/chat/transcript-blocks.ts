import type { ConversationMessage } from '../../../contract/conversations.ts';
import { atLimit, type Entry, interruptions, nextStepOf, type Turn } from './turn.ts';

/** A message of a person with all that answers it: as its events told it where they were seen, else as it is stored. */
export interface Block {
  key: string;
  entries: readonly Entry[];
  turn?: Turn | undefined;
}

/** The conversation in order. A turn that was seen live knows more than what is stored of it. */
export function blocksOf(messages: readonly ConversationMessage[], turns: readonly Turn[]): Block[] {
  const live = new Map(turns.map((turn) => [turn.id, turn]));
  const blocks: Block[] = [];
  let group: ConversationMessage[] = [];
  const flush = () => {
    const [first] = group;
    if (!first) return;
    const turn = live.get(first.id);
    live.delete(first.id);
    blocks.push({ key: first.id, turn, entries: turn?.entries ?? storedEntries(group) });
    group = [];
  };
  for (const message of messages) {
    if (message.role === 'user') flush();
    group.push(message);
  }
  flush();
  // What is newer than what was read.
  for (const turn of live.values()) blocks.push({ key: turn.id, turn, entries: turn.entries });
  return blocks;
}

/** Messages that were read once stay the same objects, so nothing is built again while an answer is streamed. */
const known = new WeakMap<ConversationMessage, { count: number; entries: readonly Entry[] }>();

function storedEntries(group: readonly ConversationMessage[]): readonly Entry[] {
  const last = group.at(-1);
  const before = last && known.get(last);
  if (before?.count === group.length) return before.entries;
  const entries = group.flatMap(entriesOf);
  if (last) known.set(last, { count: group.length, entries });
  return entries;
}

function entriesOf(message: ConversationMessage): Entry[] {
  const { id, role, content, toolCalls = [] } = message;
  const entries: Entry[] = toolCalls.map((call, at) => ({
    kind: 'tool',
    callId: `${id}:${at}`,
    name: call.name,
    args: call.arguments,
    state: call.status === 'success' ? 'ok' : 'failed',
    result: call.result,
  }));
  if (role === 'user') entries.push({ kind: 'person', text: content });
  else if (role === 'system') entries.push({ kind: 'note', tone: 'muted', text: content });
  else if (content !== '') entries.push({ kind: 'text', text: content, isOpen: false });
  const end = endOf(message);
  if (end) entries.push(end);
  return entries;
}

/** What stands below an answer that is not complete, with what to do next. */
function endOf({ status, error, finishReason }: ConversationMessage): Entry | undefined {
  const resume = 'Send “continue” to resume.';
  if (finishReason === 'max_round_trips')
    return { kind: 'note', tone: 'warning', text: atLimit, next: resume };
  if (status !== 'failed' && status !== 'interrupted') return undefined;
  if (status === 'failed') {
    const text = error?.message ?? 'The answer failed before it was complete.';
    return { kind: 'note', tone: 'bad', text, next: error && nextStepOf(error.code) };
  }
  const interruption = interruptions[error?.code ?? 'CANCELLED'];
  if (!error || interruption !== undefined)
    return { kind: 'note', tone: 'muted', text: interruption ?? 'Stopped.' };
  return { kind: 'note', tone: 'warning', text: error.message, next: resume };
}
