import { wordRuns } from '../index/index-words.ts';
import { MOST_WORDS, queryWords } from '../index/query-words.ts';
import { stopWords } from '../index/stop-words.ts';

/** The longer a question, the smaller the part of it that a fitting text holds. */
const leastScore = (words: number) => Math.min(0.4, 0.55 / Math.sqrt(words));
/** Among so few texts no word is rare, so scores tell little. */
const FEW = 10;

export interface FoundByWords {
  text: string;
  score: number;
}

/** The words of a question that something can be found by; empty where it says nothing. */
export const tellingWordsOf = (question: string): string[] => {
  const { words } = queryWords(question);
  return words.every((word) => stopWords.has(word)) ? [] : words.slice(0, MOST_WORDS);
};

/**
 * Whether a text that was found by words is about the question: most texts share a few words with most questions.
 * `candidates` is how many texts hold any of the words.
 */
export function fitsByWords(
  words: readonly string[],
  { text, score }: FoundByWords,
  candidates: number,
): boolean {
  const least = leastScore(words.length);
  if (score >= least) return true;
  const held = countHeld(words, text);
  if (held >= 2 && 2 * held >= words.length && score >= least / 2) return true;
  return candidates <= FEW && 5 * held >= 2 * words.length;
}

function countHeld(words: readonly string[], text: string): number {
  const known = [...new Set([...wordRuns(text)].flat())];
  return words.filter((word) => known.some((other) => isSameStem(word, other))).length;
}

/** About what a stemmer says: they differ in their endings alone. */
function isSameStem(one: string, other: string): boolean {
  if (one === other) return true;
  const longer = Math.max(one.length, other.length);
  let same = 0;
  while (same < longer && one[same] === other[same]) same++;
  return same >= Math.max(3, longer - 3) && (same === Math.min(one.length, other.length) || same >= 4);
}
