import type { Origin } from '../../../contract/experiences.ts';
import { AppError } from '../../errors.ts';
import { isBoilerplate, significantWords } from './boilerplate.ts';
import { findSecret } from './find-secret.ts';
import { isAiSelfReference } from './ai-self-reference.ts';

/** Content to be remembered. */
export type MemoryWrite = { origin: Origin } & (
  | {
      kind: 'experience';
      intent: string;
      solution: readonly string[];
      tags: readonly string[];
      /** Finds the id of an experience with the same content. */
      findDuplicate: () => Promise<string | undefined>;
    }
  | { kind: 'preference'; category: string; value: string }
);

/** Minimum of distinct words in intent and solution from an agent; a person needs one. */
const MIN_AGENT_WORDS = 2;

/**
 * Checks everything before it is remembered. Agents must say more than people; secrets are rejected from both. Throws
 * an `AppError` that never repeats the rejected content.
 */
export async function checkWrite(write: MemoryWrite): Promise<void> {
  const isFromAgent = write.origin.kind !== 'user';
  const texts =
    write.kind === 'experience'
      ? [write.intent, ...write.solution, ...write.tags]
      : [write.category, write.value];
  if (texts.some(hasHiddenCharacters))
    throw rejected('it contains control characters or characters that hide or reorder others');
  const secret = findSecret(write.kind === 'experience' ? texts.join('\n') : texts.join(': '));
  if (secret !== undefined) throw rejected(`it seems to contain ${secret}; say where it is stored instead`);
  if (texts.some((text) => isAiSelfReference(text, isFromAgent)))
    throw rejected('it is a model talking about itself, not something that was learned');
  if (!isInformative(write, isFromAgent ? MIN_AGENT_WORDS : 1))
    throw rejected('it says too little to be useful later; state the goal and what led to it');
  if (write.kind === 'preference') return;
  const duplicate = await write.findDuplicate();
  if (duplicate !== undefined) throw duplicateError(duplicate);
}

export const duplicateError = (id: string): AppError =>
  new AppError('conflict', `Experience ${id} already says the same`);

const rejected = (why: string) => new AppError('validation', `Not remembered: ${why}`);

/** Tag characters are invisible and only valid within flag emoji. */
const hidden =
  /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]/u;
const hasHiddenCharacters = (text: string) => hidden.test(text) || !text.isWellFormed();

function isInformative(write: MemoryWrite, minWords: number): boolean {
  if (write.kind === 'preference') {
    const { category, value } = write;
    return /[\p{L}\p{N}]/u.test(category) && /[\p{L}\p{N}\p{Emoji}]/u.test(value) && !isBoilerplate(value);
  }
  const { intent, solution } = write;
  return significantWords(intent).size >= minWords && significantWords(solution.join('\n')).size >= minWords;
}
