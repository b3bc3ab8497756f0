import type { SearchMethod } from './memory.ts';

/** What a search goes by. */
export const methodMeanings: Record<SearchMethod, string> = {
  keyword: 'keywords',
  vector: 'meaning',
  hybrid: 'keywords and meaning',
};
