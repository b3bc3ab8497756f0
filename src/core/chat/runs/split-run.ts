import type { ModelMessage } from 'ai';
import { lastTokens } from '../../text/token-estimate.ts';
import { sizeOfMessages } from './prompt-size.ts';

/** How many of the last messages keep their results whole, as long as there is room. */
const KEPT_MESSAGES = [6, 4, 2];
/** A result that is left out costs about this much itself. */
const SHORT_RESULT = 300;

export interface SplitRun {
  head: ModelMessage[];
  /** To be summed up; empty where leaving out old results is enough. */
  old: ModelMessage[];
  last: ModelMessage[];
}

/** Makes room in the messages of a run: old results of tools go first, then the older steps. */
export function splitRun(messages: ModelMessage[], room: number): SplitRun {
  let short = messages;
  for (const kept of KEPT_MESSAGES) {
    short = withoutOldResults(messages, kept);
    if (sizeOfMessages(short) <= room) return { head: [], old: [], last: short };
  }
  const cut = cutAt(short);
  const last = withResultsOf(short.slice(cut), (text) => lastTokens(text, Math.max(SHORT_RESULT, room / 4)));
  return { head: short.slice(0, 1), old: short.slice(1, cut), last };
}

/** All results but those of the last messages become a note that they are left out. */
const withoutOldResults = (messages: ModelMessage[], kept: number): ModelMessage[] => [
  ...withResultsOf(messages.slice(0, -kept), (text) =>
    text.length > SHORT_RESULT
      ? `[${text.length} characters were left out to make room; call the tool again if you need them]`
      : text,
  ),
  ...messages.slice(-kept),
];

const withResultsOf = (messages: ModelMessage[], change: (text: string) => string): ModelMessage[] =>
  messages.map((message) =>
    message.role !== 'tool'
      ? message
      : {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-result' && part.output.type === 'text'
              ? { ...part, output: { type: 'text' as const, value: change(part.output.value) } }
              : part,
          ),
        },
  );

/** Where the kept part begins: with what the model said, so that no result stands without its call. */
function cutAt(messages: ModelMessage[]): number {
  for (let at = messages.length - 1; at > 0; at--) if (messages[at]?.role === 'assistant') return at;
  return messages.length;
}
