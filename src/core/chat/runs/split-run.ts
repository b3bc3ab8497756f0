import type { ModelMessage } from 'ai';
import { lastTokens } from '../../text/token-estimate.ts';
import { sizeOfMessages } from './prompt-size.ts';

/** How many of the last messages keep their full results; fewer are tried when there is no room. */
const KEPT_MESSAGES = [6, 4, 2];
/** The note that replaces a result is about this long. */
const SHORT_RESULT = 300;

export interface SplitRun {
  head: ModelMessage[];
  /** To be summarized; empty where leaving out old results is enough. */
  old: ModelMessage[];
  last: ModelMessage[];
}

/**
 * Makes room in the messages of a run: drops old tool results first, then whole older steps and what came before the
 * request, which itself is kept.
 */
export function splitRun(messages: ModelMessage[], room: number, request = 0): SplitRun {
  let short = messages;
  for (const kept of KEPT_MESSAGES) {
    short = withoutOldResults(messages, kept);
    if (sizeOfMessages(short) <= room) return { head: [], old: [], last: short };
  }
  const start = splitIndex(short, request);
  const last = withResultsOf(short.slice(start), (text) =>
    lastTokens(text, Math.max(SHORT_RESULT, room / 4)),
  );
  const old = [...short.slice(0, request), ...short.slice(request + 1, start)];
  return { head: short.slice(request, request + 1), old, last };
}

/** Replaces all results except those of the last messages with a note. */
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

/** The kept part starts with a message of the model, so that every result follows its call. */
function splitIndex(messages: ModelMessage[], request: number): number {
  for (let at = messages.length - 1; at > request; at--) if (messages[at]?.role === 'assistant') return at;
  return messages.length;
}
