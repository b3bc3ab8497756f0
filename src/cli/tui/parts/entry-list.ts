import type {
  OutputEntry,
  PersonEntry,
  PlanEntry,
  RunEntry,
  TextEntry,
  ThinkingEntry,
  ToolEntry,
} from './run-entry.ts';

type Entries = readonly RunEntry[];

/** The key of the entry that comes next. */
export const keyOf = (entries: Entries): string => String(entries.length);

/** What was sent is shown before the daemon says that it has it. */
export function withPerson(entries: Entries, text: string, messageId?: string): Entries {
  const id = messageId === undefined ? {} : { messageId };
  const last = entries.at(-1);
  if (last?.kind === 'person' && last.messageId === undefined && last.text.trim() === text.trim())
    return messageId === undefined ? entries : [...entries.slice(0, -1), { ...last, ...id }];
  const person: PersonEntry = { kind: 'person', key: keyOf(entries), text, ...id };
  return [...settleText(entries), person];
}

/** What stands before a message: a turn that is sent again from its beginning takes the place of what is shown of it. */
export function before(entries: Entries, messageId: string): Entries {
  const at = entries.findLastIndex((entry) => entry.kind === 'person' && entry.messageId === messageId);
  return at < 0 ? entries : entries.slice(0, at);
}

export function withText(entries: Entries, delta: string): Entries {
  const last = entries.at(-1);
  if (last?.kind === 'text' && !last.isComplete)
    return [...entries.slice(0, -1), { ...last, text: last.text + delta }];
  if (delta === '') return entries;
  const text: TextEntry = { kind: 'text', key: keyOf(entries), text: delta, isComplete: false };
  return [...entries, text];
}

/** Appends output of a program. */
export function withOutput(entries: Entries, stream: OutputEntry['stream'], text: string): Entries {
  const last = entries.at(-1);
  if (last?.kind === 'output' && last.stream === stream)
    return [...entries.slice(0, -1), { ...last, text: last.text + text }];
  const settled = settleText(entries);
  const output: OutputEntry = { kind: 'output', key: keyOf(settled), stream, text };
  return [...settled, output];
}

/** A plan stays where it was first shown while nothing comes after it. */
export function withPlan(entries: Entries, steps: PlanEntry['steps']): Entries {
  const last = entries.at(-1);
  if (last?.kind === 'plan') return [...entries.slice(0, -1), { ...last, steps }];
  const settled = settleText(entries);
  const plan: PlanEntry = { kind: 'plan', key: keyOf(settled), steps };
  return [...settled, plan];
}

/** Nothing more comes to the text that was being written. */
export function settleText(entries: Entries): Entries {
  const last = entries.at(-1);
  return last?.kind === 'text' && !last.isComplete
    ? [...entries.slice(0, -1), { ...last, isComplete: true }]
    : entries;
}

/** Thinking that starts, continues or ends; the end may repeat its full text. */
export function withThought(
  entries: Entries,
  { step, text }: { step: number; text: string },
  moment: { at: number; isEnd: boolean },
): Entries {
  const index = entries.findLastIndex((entry) => entry.kind === 'thinking' && entry.endedAt === undefined);
  const open = entries[index];
  if (open?.kind === 'thinking')
    return entries.with(index, {
      ...open,
      text: text.startsWith(open.text) ? text : open.text + text,
      ...(moment.isEnd && { endedAt: moment.at }),
    });
  if (moment.isEnd) return entries;
  const settled = settleText(entries);
  const thinking: ThinkingEntry = { kind: 'thinking', key: keyOf(settled), step, text, startedAt: moment.at };
  return [...settled, thinking];
}

/** Changes the tool call of an id. */
export function changeTool(
  entries: Entries,
  callId: string,
  change: (tool: ToolEntry) => ToolEntry,
): Entries {
  const at = entries.findLastIndex((entry) => entry.kind === 'tool' && entry.callId === callId);
  const tool = entries[at];
  return tool?.kind === 'tool' ? entries.with(at, change(tool)) : entries;
}
