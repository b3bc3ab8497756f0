import type { DatabaseSync } from 'node:sqlite';

/** What a text is found by, each part with a weight of its own. */
export interface SearchedText {
  /** A path, or tags. */
  place: string;
  heading: string;
  body: string;
  ownerId?: string | undefined;
}

export interface Ranked {
  id: number;
  /** BM25, above 0, the more the better. */
  points: number;
}

export interface KeywordLimits {
  limit: number;
  /** Only what belongs to this user. */
  ownerId?: string | undefined;
  /** Only chunks of files at or below this path. */
  under?: string | undefined;
}

/** A query as words to look for. */
export interface QueryWords {
  words: string[];
  /** Too frequent to tell anything. */
  leftOut: string[];
}

/** The words of texts, ranked by BM25. `id` is that of the chunk or the entry. */
export class KeywordIndex {
  readonly #database: DatabaseSync;
  readonly #table: 'chunk_words' | 'entry_words';
  constructor(database: DatabaseSync, table: 'chunk_words' | 'entry_words') {
    this.#database = database;
    this.#table = table;
  }

  add(_id: number, _text: SearchedText): void {
    throw new Error(`to be done ${this.#table} ${String(this.#database)}`);
  }

  remove(_id: number): void {}

  clear(): void {}

  /** What of a query can be looked for; any text is fine. */
  wordsOf(_query: string): QueryWords {
    return { words: [], leftOut: [] };
  }

  /** Best first; `total` is how many hold any of the words. */
  search(_words: QueryWords, _limits: KeywordLimits): { ranked: Ranked[]; total: number } {
    return { ranked: [], total: 0 };
  }

  /** The points of an ideal match. */
  bestPossible(_words: QueryWords): number {
    return 0;
  }

  /** What each word adds to the points of one text. */
  explain(_words: QueryWords, _id: number): { word: string; points: number }[] {
    return [];
  }
}
