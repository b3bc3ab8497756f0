import { wordGroups } from '../../memory/index/index-words.ts';
import { MAX_QUERY_WORDS, queryWords } from '../../memory/index/query-words.ts';
import { stopWords } from '../../memory/index/stop-words.ts';

/** Longer questions accept a smaller share of matching words. */
const minScore = (words: number) => Math.min(0.4, 0.55 / Math.sqrt(words));
/** With this few candidates no word is rare, so scores say little. */
const FEW_CANDIDATES = 10;
/** Only the beginning of a text is compared: it usually states the topic. */
const MAX_CHARS = 8000;
/** In characters. */
const MIN_STEM = 3;

export interface KeywordMatch {
  text: string;
  score: number;
}

/** The words of a question that can be searched for; empty when it only has stop words. */
export const significantWordsOf = (question: string): string[] => {
  const { words } = queryWords(question);
  return words.every((word) => stopWords.has(word)) ? [] : words.slice(0, MAX_QUERY_WORDS);
};

/**
 * Whether a keyword match is really about the question: most texts share a few words with most questions. `candidates`
 * is the number of texts that contain any of the words.
 */
export function isRelevant(
  words: readonly string[],
  { text, score }: KeywordMatch,
  candidates: number,
): boolean {
  const threshold = minScore(words.length);
  if (score >= threshold) return true;
  const matched = countMatches(words, text);
  if (matched >= 2 && 2 * matched >= words.length && score >= threshold / 2) return true;
  return candidates <= FEW_CANDIDATES && 5 * matched >= 2 * words.length;
}

/** How many of the words the text contains. Runs in time linear in the length of the text. */
function countMatches(words: readonly string[], text: string): number {
  const byPrefix = Map.groupBy(new Set(words), prefix);
  const matched = new Set<string>();
  for (const group of wordGroups(text.slice(0, MAX_CHARS)))
    for (const known of group)
      for (const word of byPrefix.get(prefix(known)) ?? []) if (isSameStem(word, known)) matched.add(word);
  return matched.size;
}

/** The prefix that words of one stem share. */
const prefix = (word: string) => word.slice(0, MIN_STEM);

/** Approximates a stemmer: the words differ only in their suffixes. */
function isSameStem(one: string, other: string): boolean {
  if (one === other) return true;
  const longer = Math.max(one.length, other.length);
  let same = 0;
  while (same < longer && one[same] === other[same]) same++;
  return same >= Math.max(MIN_STEM, longer - 3) && (same === Math.min(one.length, other.length) || same >= 4);
}
