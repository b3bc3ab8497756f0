import { pathRange } from './path-range.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { TOKENIZER } from './index-database.ts';
import { IndexedForms } from './indexed-forms.ts';
import { MAX_QUERY_WORDS, queryWords } from './query-words.ts';
import { Stems } from './stems.ts';
import { TextSizes } from './text-sizes.ts';
import { topSums } from './top-sums.ts';
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

/** Full-text index ranked by BM25. `id` is the id of a chunk or entry. */
export class KeywordIndex {
  readonly #sizes: TextSizes;
  readonly #points: WordPoints;
  readonly #forms = new IndexedForms();
  readonly #statements: Record<'add' | 'replace' | 'remove' | 'clear' | 'below' | 'owned', StatementSync>;
  /** Whether each text has an owner who only finds their own. */
  readonly #isOwned: boolean;
  #isChanged = true;

  constructor(database: DatabaseSync, table: 'chunk_words' | 'entry_words') {
    this.#isOwned = table === 'entry_words';
    this.#sizes = new TextSizes(database, table);
    const stems = new Stems(database, TOKENIZER);
    this.#points = new WordPoints(database, table, { stems, sizes: this.#sizes });
    const values = `${table} (rowid, place, heading, body, owner) values (?, ?, ?, ?, ?)`;
    this.#statements = {
      add: database.prepare(`insert into ${values}`),
      replace: database.prepare(`insert or replace into ${values}`),
      remove: database.prepare(`delete from ${table} where rowid = ?`),
      clear: database.prepare(`insert into ${table} (${table}) values ('delete-all')`),
      below: database.prepare(`select group_concat(id) as ids from chunks where file_id in
        (select id from files where path = ? or (path > ? and path < ?))`),
      owned: database.prepare(`select group_concat(rowid) as ids from ${table} where owner match ?`),
    };
  }

  /** Inserts a text or replaces the one with the same id. */
  add(id: number, text: SearchedText): void {
    this.#put(this.#statements.replace, id, text);
  }

  /** Inserts a text with an unused id, which is faster. */
  addNew(id: number, text: SearchedText): void {
    this.#put(this.#statements.add, id, text);
  }

  #put(statement: StatementSync, id: number, { label: place, heading, body, ownerId }: SearchedText): void {
    const forms = this.#forms;
    const owner = ownerId === undefined ? '' : ownerTerm(ownerId);
    statement.run(id, forms.of(place), forms.of(heading), forms.of(body), owner);
    this.#changed(id);
  }

  remove(id: number): void {
    this.#statements.remove.run(id);
    this.#changed(id);
  }

  clear(): void {
    this.#statements.clear.run();
    this.#sizes.invalidate();
    this.#isChanged = true;
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
    if (this.#isOwned || this.#sizes.count <= MIN_TEXTS_FOR_CUTOFF) return words;
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
    if (!this.#isChanged) return;
    this.#sizes.refresh();
    this.#points.reset();
    this.#isChanged = false;
  }

  #changed(id: number): void {
    this.#sizes.changed(id);
    this.#isChanged = true;
  }

  #below(under: string): Set<number> {
    const { path, above, below } = pathRange(under);
    return idsOf(this.#statements.below.get(path, above, below));
  }

  #filterFor(ownerId: string | undefined, under: string | undefined): ((id: number) => boolean) | undefined {
    const owned =
      ownerId === undefined ? undefined : idsOf(this.#statements.owned.get(`"${ownerTerm(ownerId)}"`));
    const below = under === undefined ? undefined : this.#below(under);
    if (!owned || !below) {
      const selected = owned ?? below;
      return selected && ((id) => selected.has(id));
    }
    return (id) => owned.has(id) && below.has(id);
  }
}

const idsOf = (row: Record<string, unknown> | undefined) =>
  new Set(typeof row?.['ids'] === 'string' ? row['ids'].split(',').map(Number) : []);

/** One word of private-use characters and digits, which no text contains and no stemmer changes. */
const ownerTerm = (id: string) => `\ue001${Buffer.from(id, 'utf16le').toString('hex')}\ue001`;
