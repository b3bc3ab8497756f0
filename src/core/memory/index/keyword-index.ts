import { pathRange } from './path-range.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PostingList } from './posting-list.ts';
import { MAX_QUERY_WORDS, queryWords } from './query-words.ts';
import { topSums } from './top-sums.ts';
import { WordIndex, type WordLimits } from './word-index.ts';
import { K1, WordPoints } from './word-points.ts';

/** The searchable fields of a text, each with its own weight. */
export interface SearchedText {
  /** A path or tags. */
  label: string;
  heading: string;
  body: string;
  ownerId?: string | undefined;
}

export interface Ranked {
  id: number;
  /** BM25, above 0; higher is better. */
  points: number;
}

export interface KeywordLimits {
  limit: number;
  /** Only texts of this user. */
  ownerId?: string | undefined;
  /** Only chunks of files at or below this path. */
  under?: string | undefined;
}

/** The words of a query to search for. */
export interface QueryWords {
  words: string[];
  /** Words that are too frequent, or beyond the maximum. */
  leftOut: string[];
}

/** The maximum that one word adds, as a multiple of its rarity. */
const MAX_PER_WORD = K1 + 1;
/** Above this number of texts, words in more than half of them are left out: BM25 gives them almost no weight. */
const MIN_TEXTS_FOR_CUTOFF = 1000;
const TOO_FREQUENT = 0.5;
/** Share of a word that no text contains; sorts last. */
const UNKNOWN_WORD_SHARE = 2;

/**
 * Full-text index ranked by BM25. `id` is the id of a chunk or entry; ids ascend and are never used twice. The words of
 * chunks are stored, within the transactions of the caller; those of entries live as long as the thread.
 */
export class KeywordIndex {
  readonly #words: WordIndex;
  readonly #points: WordPoints;
  readonly #below: StatementSync;
  /** Whether each text has an owner who only finds their own. */
  readonly #isOwned: boolean;
  #isChanged = true;

  constructor(database: DatabaseSync, kind: 'chunks' | 'entries', limits?: WordLimits) {
    this.#isOwned = kind === 'entries';
    const words = new WordIndex(this.#isOwned ? undefined : database, limits);
    this.#words = words;
    this.#points = new WordPoints({
      sizes: words.sizes,
      read: (term, into) => words.read(term, into),
      count: (term) => words.count(term),
    });
    this.#below = database.prepare(`select group_concat(id) as ids from chunks where file_id in
      (select id from files where path = ? or (path > ? and path < ?))`);
  }

  /** The number of texts. */
  get size(): number {
    return this.#words.sizes.count;
  }

  has(id: number): boolean {
    return this.#words.sizes.has(id);
  }

  add(id: number, { ownerId, ...text }: SearchedText): void {
    this.#words.add({ id, ...text }, ownerId === undefined ? [] : [ownerTerm(ownerId)]);
    this.#isChanged = true;
  }

  remove(id: number): void {
    this.#words.remove(id);
    this.#isChanged = true;
  }

  clear(): void {
    this.#words.clear();
    this.#isChanged = true;
  }

  /** After a rollback: reads everything again. */
  reload(): void {
    this.#words.reload();
    this.#isChanged = true;
  }

  /** Within a transaction, after many changes: stores words that are only in memory, to free it. */
  store(): void {
    this.#words.store();
  }

  /** Within a transaction: improves the order of the stored words until `isOver`; returns whether there is more to do. */
  tidy(isOver: () => boolean): boolean {
    return this.#words.tidy(isOver);
  }

  /** The words of a query to search for; accepts any text. */
  wordsOf(query: string): QueryWords {
    const { words, ignored, excess } = queryWords(query);
    this.#refresh();
    const selected = new Set(this.#rarest(this.#significant(words)));
    return {
      words: [...selected],
      leftOut: [...ignored, ...words.filter((word) => !selected.has(word)), ...excess],
    };
  }

  /** Best first; `total` counts the texts that contain any of the words. */
  search(
    { words }: QueryWords,
    { limit, ownerId, under }: KeywordLimits,
  ): { ranked: Ranked[]; total: number } {
    this.#refresh();
    const lists = words.map((word) => this.#points.list(word));
    return topSums(lists, limit, this.#filterFor(ownerId, under));
  }

  /** The points that each word adds to a text. */
  explain({ words }: QueryWords, id: number): { word: string; points: number }[] {
    this.#refresh();
    return words.flatMap((word) => {
      const { ids, points } = this.#points.list(word);
      const of = points[ids.indexOf(id)];
      return of === undefined ? [] : [{ word, points: of }];
    });
  }

  /** The maximum of points that a text can reach for these words. */
  bestPossible({ words }: QueryWords): number {
    this.#refresh();
    return words.reduce((sum, word) => sum + MAX_PER_WORD * this.#points.rarity(word), 0);
  }

  /**
   * Drops words that are in most texts if another word is found. Not for owned texts: a word frequent overall may be
   * rare for one owner.
   */
  #significant(words: string[]): string[] {
    if (this.#isOwned || this.size <= MIN_TEXTS_FOR_CUTOFF) return words;
    const others = words.filter((word) => this.#points.share(word) <= TOO_FREQUENT);
    return others.some((word) => this.#points.share(word) > 0) ? others : words;
  }

  /** The rarest words up to the maximum, in query order; unknown words rank last. */
  #rarest(words: string[]): string[] {
    if (words.length <= MAX_QUERY_WORDS) return words;
    const ranked = words.map((word) => ({ word, share: this.#points.share(word) || UNKNOWN_WORD_SHARE }));
    ranked.sort((a, b) => a.share - b.share);
    const rarest = new Set(ranked.slice(0, MAX_QUERY_WORDS).map(({ word }) => word));
    return words.filter((word) => rarest.has(word));
  }

  /** Drops cached results after a change. */
  #refresh(): void {
    this.#points.trim();
    if (this.#isChanged) this.#points.reset();
    this.#isChanged = false;
  }

  #filterFor(ownerId: string | undefined, under: string | undefined): ((id: number) => boolean) | undefined {
    const owned = ownerId === undefined ? undefined : this.#idsOf(ownerId);
    const below = under === undefined ? undefined : this.#idsBelow(under);
    if (!owned || !below) {
      const selected = owned ?? below;
      return selected && ((id) => selected.has(id));
    }
    return (id) => owned.has(id) && below.has(id);
  }

  #idsOf(ownerId: string): Set<number> {
    const owned = new PostingList();
    this.#words.read(ownerTerm(ownerId), owned);
    return new Set(owned.ids.subarray(0, owned.length));
  }

  #idsBelow(under: string): Set<number> {
    const { path, above, below } = pathRange(under);
    const ids = this.#below.get(path, above, below)?.['ids'];
    return new Set(typeof ids === 'string' ? ids.split(',').map(Number) : []);
  }
}

/** A term with a character that no word has. */
const ownerTerm = (id: string) => `\ue001${Buffer.from(id, 'utf16le').toString('hex')}`;
