import { wordRuns } from './index-words.ts';
import { stopWords } from './stop-words.ts';

/** Nobody asks for more; what follows is left unread. */
const MOST_WORDS = 64;

/** What of a query can be looked for, and the stop words in it; where there is nothing else, those are looked for. */
export function queryWords(query: string): { words: string[]; stopped: string[] } {
  const words = new Set<string>();
  const stopped = new Set<string>();
  for (const [whole = '', ...parts] of wordRuns(query)) {
    if (stopWords.has(whole)) {
      stopped.add(whole);
      continue;
    }
    words.add(whole);
    for (const part of parts) (stopWords.has(part) ? stopped : words).add(part);
    if (words.size >= MOST_WORDS) break;
  }
  if (words.size === 0) return { words: [...stopped].slice(0, MOST_WORDS), stopped: [] };
  return { words: [...words].slice(0, MOST_WORDS), stopped: [...stopped] };
}
