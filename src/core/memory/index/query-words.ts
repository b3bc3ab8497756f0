import { wordRuns } from './index-words.ts';
import { stopWords } from './stop-words.ts';

/** So many words of a query are looked for. */
export const MOST_WORDS = 64;
/** From so many the ones to look for are chosen. */
const MOST_CHOICES = 1000;

interface WordsOfQuery {
  words: string[];
  /** The stop words; where there is nothing else, those are the words. */
  stopped: string[];
  /** More words than anybody asks for. */
  beyond: string[];
}

/** What of a query can be looked for, each word once, in the order of the query. */
export function queryWords(query: string): WordsOfQuery {
  const words = new Set<string>();
  const stopped = new Set<string>();
  for (const [whole = '', ...parts] of wordRuns(query)) {
    if (stopWords.has(whole)) {
      stopped.add(whole);
      continue;
    }
    words.add(whole);
    for (const part of parts) (stopWords.has(part) ? stopped : words).add(part);
  }
  if (words.size === 0) return { words: [...stopped], stopped: [], beyond: [] };
  const all = [...words];
  return { words: all.slice(0, MOST_CHOICES), stopped: [...stopped], beyond: all.slice(MOST_CHOICES) };
}
