import { wordRuns } from '../../memory/index/index-words.ts';
import { MOST_WORDS, queryWords } from '../../memory/index/query-words.ts';
import { stopWords } from '../../memory/index/stop-words.ts';

/** The longer a question, the smaller the part of it that a fitting text holds. */
const leastScore = (words: number) => Math.min(0.4, 0.55 / Math.sqrt(words));
/** Among so few texts no word is rare, so scores tell little. */
const FEW = 10;
/** Characters of a text: what it is about, it says at the beginning. */
const MOST_READ = 8000;
/** Characters. */
const LEAST_SAME = 3;

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

/** How many of the words a text holds, as far as it is read; in time that grows with the length of the text alone. */
function countHeld(words: readonly string[], text: string): number {
  const sought = Map.groupBy(new Set(words), beginning);
  const held = new Set<string>();
  for (const run of wordRuns(text.slice(0, MOST_READ)))
    for (const known of run)
      for (const word of sought.get(beginning(known)) ?? []) if (isSameStem(word, known)) held.add(word);
  return held.size;
}

/** What words of one stem have in common at the least. */
const beginning = (word: string) => word.slice(0, LEAST_SAME);

/** About what a stemmer says: they differ in their endings alone. */
function isSameStem(one: string, other: string): boolean {
  if (one === other) return true;
  const longer = Math.max(one.length, other.length);
  let same = 0;
  while (same < longer && one[same] === other[same]) same++;
  return (
    same >= Math.max(LEAST_SAME, longer - 3) && (same === Math.min(one.length, other.length) || same >= 4)
  );
}
