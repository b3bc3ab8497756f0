import { wordGroups } from './index-words.ts';
import { stopWords } from './stop-words.ts';

/** The maximum of words to search for. */
export const MAX_QUERY_WORDS = 64;
/** The maximum of words to choose from. */
const MAX_CANDIDATES = 1000;

interface WordsOfQuery {
  words: string[];
  /** The stop words, unless the query has no other words. */
  ignored: string[];
  /** Words beyond the maximum. */
  excess: string[];
}

/** The words of a query, deduplicated, in query order. */
export function queryWords(query: string): WordsOfQuery {
  const words = new Set<string>();
  const ignored = new Set<string>();
  for (const [whole = '', ...parts] of wordGroups(query)) {
    if (stopWords.has(whole)) {
      ignored.add(whole);
      continue;
    }
    words.add(whole);
    for (const part of parts) (stopWords.has(part) ? ignored : words).add(part);
  }
  if (words.size === 0) return { words: [...ignored], ignored: [], excess: [] };
  const all = [...words];
  return { words: all.slice(0, MAX_CANDIDATES), ignored: [...ignored], excess: all.slice(MAX_CANDIDATES) };
}
