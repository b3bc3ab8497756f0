import { splitAttachments } from '../../../contract/attachments.ts';
import type { RunEntry } from '../parts/run-entry.ts';
import type { Question } from './slash-parts.ts';

/** More would not be found by searching. */
const MOST_CHOICES = 500;

/** Lets the user choose among earlier messages, the latest first. */
export function historyQuestion(messages: readonly string[], onPick: (text: string) => void): Question {
  const choices = [...new Set(messages.toReversed())].slice(0, MOST_CHOICES);
  return {
    title: 'Search earlier messages',
    choices: choices.map((value) => ({ value, label: value.replaceAll(/\s+/g, ' ').trim(), text: '' })),
    onPick,
  };
}

/** The kept messages, and after them those of the conversation that were written elsewhere. */
export function recallable(kept: readonly string[], entries: readonly RunEntry[]): readonly string[] {
  const known = new Set(kept);
  const written = entries.flatMap((entry) =>
    entry.kind === 'person' ? [splitAttachments(entry.text).message] : [],
  );
  return [...kept, ...written.filter((message) => !known.has(message))];
}
