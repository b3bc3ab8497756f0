import type { SearchMethod } from '../../../contract/memory.ts';

/** How each method makes its score, in one line for people. */
export const formulas: Record<SearchMethod, string> = {
  keyword: 'to be done',
  vector: 'the cosine between query and text, 0 where it is below 0',
  hybrid: '(1 / (60 + rank by keywords) + 1 / (60 + rank by vector)) / (2 / 61)',
};
