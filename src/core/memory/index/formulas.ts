import type { SearchMethod } from '../../../contract/memory.ts';

/** How each method makes its score, in one line for people. */
export const formulas: Record<SearchMethod, string> = {
  keyword: 'to be done',
  vector: 'to be done',
  hybrid: 'to be done',
};
