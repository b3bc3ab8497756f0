import type { SearchMethod } from '../../../contract/memory.ts';

/** How each method computes its score, in one line for people. */
export const formulas: Record<SearchMethod, string> = {
  keyword: 'score = points / the most that any text could reach; points = BM25, summed over the words',
  vector: 'score = max(0, cosine of the vectors of the query and the text)',
  hybrid:
    'score = (1 / (60 + keyword rank) + 1 / (60 + vector rank)) / (2 / 61); without a rank its part is 0',
};
