import type { SearchMethod } from '../../../contract/memory.ts';
import { fusedScore } from './fused-score.ts';
import type { IndexQuery } from './index-calls.ts';
import type { KeywordIndex, QueryWords } from './keyword-index.ts';
import type { VectorIndex } from './vector-index.ts';

/** One search hit with its ranks. */
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
  /** How many texts contain any of the words or, by vector, were ranked. */
  totalCandidates: number;
  hits: Hit[];
}

export interface IndexSearchDeps {
  keywords: Pick<KeywordIndex, 'wordsOf' | 'search' | 'bestPossible'>;
  vectors: Pick<VectorIndex, 'canCompare' | 'search'>;
}

type Query = Omit<IndexQuery, 'sync'> & { ownerId?: string | undefined };

/** Searches by keywords, by vectors, or by both with reciprocal rank fusion. */
export class IndexSearch {
  readonly #deps: IndexSearchDeps;
  constructor(deps: IndexSearchDeps) {
    this.#deps = deps;
  }

  search(query: Query): Hits {
    const words = this.#deps.keywords.wordsOf(query.text);
    const method = this.#methodFor(query, words);
    const { totalCandidates, hits } =
      method === 'keyword'
        ? this.#byWords(query, words)
        : method === 'vector'
          ? this.#byVector(query)
          : this.#byBoth(query, words);
    const selected = hits.filter(({ score }) => score >= query.minScore).slice(0, query.maxResults);
    return { method, words, totalCandidates, hits: selected };
  }

  #methodFor({ method, vector }: Query, { words }: QueryWords): SearchMethod {
    if (!vector || method === 'keyword' || !this.#deps.vectors.canCompare(vector)) return 'keyword';
    return method === 'vector' || words.length === 0 ? 'vector' : 'hybrid';
  }

  #byWords(query: Query, words: QueryWords, limit = query.maxResults) {
    const { under, ownerId } = query;
    const { ranked, total } = this.#deps.keywords.search(words, { limit, under, ownerId });
    const best = this.#deps.keywords.bestPossible(words);
    const hits = ranked.map(({ id, points }, index): Hit => ({
      id,
      score: best > 0 ? clamp(points / best) : 0,
      keyword: { rank: index + 1, points },
    }));
    return { totalCandidates: total, hits };
  }

  #byVector({ vector, under, ownerId, maxResults }: Query, limit = maxResults) {
    const similar = vector ? this.#deps.vectors.search(vector, { limit, under, ownerId }) : [];
    const hits = similar.map(({ id, similarity }, index): Hit => ({
      id,
      score: clamp(similarity),
      vector: { rank: index + 1, similarity },
    }));
    return { totalCandidates: hits.length, hits };
  }

  #byBoth(query: Query, words: QueryWords) {
    const limit = Math.max(100, 4 * query.maxResults);
    const byWords = this.#byWords(query, words, limit);
    const byVector = this.#byVector(query, limit);
    const merged = new Map<number, Hit>(byWords.hits.map((hit) => [hit.id, hit]));
    for (const hit of byVector.hits) merged.set(hit.id, { ...merged.get(hit.id), ...hit });
    const hits = [...merged.values()]
      .map((hit) => ({ ...hit, score: fusedScore(hit.keyword?.rank, hit.vector?.rank) }))
      .sort((a, b) => b.score - a.score || a.id - b.id);
    return { totalCandidates: Math.max(byWords.totalCandidates, merged.size), hits };
  }
}

const clamp = (value: number) => Math.max(0, Math.min(1, value));
