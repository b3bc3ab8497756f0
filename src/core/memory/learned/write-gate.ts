import type { Origin } from '../../../contract/experiences.ts';
import { AppError } from '../../errors.ts';
import { isPhrase, tellingWords } from './boilerplate.ts';
import { findSecret } from './find-secret.ts';
import { isSelfTalk } from './ai-self-reference.ts';

/** What somebody wants to be remembered. */
export type Writing = { origin: Origin } & (
  | {
      kind: 'experience';
      intent: string;
      solution: readonly string[];
      tags: readonly string[];
      /** The id of what says the same already. */
      findTwin: () => Promise<string | undefined>;
    }
  | { kind: 'preference'; category: string; value: string }
);

/** Different words that a run has to tell, in what was wanted and in what led there; a person needs one. */
const LEAST_WORDS_OF_RUN = 2;

/**
 * Everything that is learned passes here, whoever says it. What a run says has to tell more than what a person says;
 * a secret is refused from everybody. Throws an `AppError` that never repeats what it refuses.
 */
export async function passGate(writing: Writing): Promise<void> {
  const ofRun = writing.origin.kind !== 'user';
  const texts =
    writing.kind === 'experience'
      ? [writing.intent, ...writing.solution, ...writing.tags]
      : [writing.category, writing.value];
  if (texts.some(hasHidden))
    throw refused('it holds control characters, or characters that hide or turn around others');
  const secret = findSecret(writing.kind === 'experience' ? texts.join('\n') : texts.join(': '));
  if (secret !== undefined) throw refused(`it seems to hold ${secret}; say where it is kept instead`);
  if (texts.some((text) => isSelfTalk(text, ofRun)))
    throw refused('it is what a model says about itself, not something that was learned');
  if (!tellsSomething(writing, ofRun ? LEAST_WORDS_OF_RUN : 1))
    throw refused('it tells too little to be of use later; say what was wanted and what led there');
  if (writing.kind === 'preference') return;
  const twin = await writing.findTwin();
  if (twin !== undefined) throw knownAlready(twin);
}

export const knownAlready = (id: string): AppError =>
  new AppError('conflict', `The experience ${id} says the same already`);

const refused = (why: string) => new AppError('validation', `This is not remembered: ${why}`);

/** Letters of tags are invisible; they are part of flags alone. */
const hidden =
  /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]/u;
const hasHidden = (text: string) => hidden.test(text) || !text.isWellFormed();

function tellsSomething(writing: Writing, least: number): boolean {
  if (writing.kind === 'preference') {
    const { category, value } = writing;
    return /[\p{L}\p{N}]/u.test(category) && /[\p{L}\p{N}\p{Emoji}]/u.test(value) && !isPhrase(value);
  }
  const { intent, solution } = writing;
  return tellingWords(intent).size >= least && tellingWords(solution.join('\n')).size >= least;
}
