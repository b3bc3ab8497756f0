import { pathRange } from './path-range.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { TOKENIZER } from './index-database.ts';
import { IndexedForms } from './indexed-forms.ts';
import { MOST_WORDS, queryWords } from './query-words.ts';
import { Stems } from './stems.ts';
import { TextSizes } from './text-sizes.ts';
import { topSums } from './top-sums.ts';
import { K1, WordPoints } from './word-points.ts';

/** What a text is found by, each part with a weight of its own. */
export interface SearchedText {
  /** A path, or tags. */
  label: string;
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
  /** Too frequent to tell anything, or one of too many. */
  leftOut: string[];
}

/** What a word that a text is full of adds, as a multiple of the word's rarity. */
const MOST_PER_WORD = K1 + 1;
/** In an index of more texts than this, a word that is in more than half of them is left out: BM25 gives it next to nothing. */
const MANY = 1000;
const TOO_FREQUENT = 0.5;
/** In place of the share of a word that no text holds: more than any. */
const NOWHERE = 2;

/** The words of texts, ranked by BM25. `id` is that of the chunk or the entry. */
export class KeywordIndex {
  readonly #sizes: TextSizes;
  readonly #points: WordPoints;
  readonly #forms = new IndexedForms();
  readonly #statements: Record<'add' | 'replace' | 'remove' | 'clear' | 'below' | 'owned', StatementSync>;
  /** Whether each text belongs to somebody, who finds no others. */
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

  /** Adds a text, or replaces the one of this id. */
  add(id: number, text: SearchedText): void {
    this.#put(this.#statements.replace, id, text);
  }

  /** Adds a text of an id that no text had before, which is faster. */
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
    this.#sizes.allChanged();
    this.#isChanged = true;
  }

  /** What of a query can be looked for; any text is fine. */
  wordsOf(query: string): QueryWords {
    const { words, stopped, beyond } = queryWords(query);
    this.#settle();
    const wanted = new Set(this.#rarest(this.#telling(words)));
    return {
      words: [...wanted],
      leftOut: [...stopped, ...words.filter((word) => !wanted.has(word)), ...beyond],
    };
  }

  /** Best first; `total` is how many hold any of the words. */
  search(
    { words }: QueryWords,
    { limit, ownerId, under }: KeywordLimits,
  ): { ranked: Ranked[]; total: number } {
    this.#settle();
    const lists = words.map((word) => this.#points.list(word));
    return topSums(lists, limit, this.#wanted(ownerId, under));
  }

  /** What each word adds to the points of one text; together they are its points. */
  explain({ words }: QueryWords, id: number): { word: string; points: number }[] {
    this.#settle();
    return words.flatMap((word) => {
      const { ids, points } = this.#points.list(word);
      const of = points[ids.indexOf(id)];
      return of === undefined ? [] : [{ word, points: of }];
    });
  }

  /** The points that no text can exceed, however often it holds each of the words. */
  bestPossible({ words }: QueryWords): number {
    this.#settle();
    return words.reduce((sum, word) => sum + MOST_PER_WORD * this.#points.rarity(word), 0);
  }

  /** Without those that are in most texts, if any other is in one. What is in most may be in few of one owner. */
  #telling(words: string[]): string[] {
    if (this.#isOwned || this.#sizes.count <= MANY) return words;
    const others = words.filter((word) => this.#points.share(word) <= TOO_FREQUENT);
    return others.some((word) => this.#points.share(word) > 0) ? others : words;
  }

  /** As many as are looked for, in their order; those that no text holds come last. */
  #rarest(words: string[]): string[] {
    if (words.length <= MOST_WORDS) return words;
    const ranked = words.map((word) => ({ word, share: this.#points.share(word) || NOWHERE }));
    ranked.sort((a, b) => a.share - b.share);
    const rarest = new Set(ranked.slice(0, MOST_WORDS).map(({ word }) => word));
    return words.filter((word) => rarest.has(word));
  }

  /** Nothing that was reckoned before a change holds after it. */
  #settle(): void {
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

  #wanted(ownerId: string | undefined, under: string | undefined): ((id: number) => boolean) | undefined {
    const owned =
      ownerId === undefined ? undefined : idsOf(this.#statements.owned.get(`"${ownerTerm(ownerId)}"`));
    const below = under === undefined ? undefined : this.#below(under);
    if (!owned || !below) {
      const wanted = owned ?? below;
      return wanted && ((id) => wanted.has(id));
    }
    return (id) => owned.has(id) && below.has(id);
  }
}

const idsOf = (row: Record<string, unknown> | undefined) =>
  new Set(typeof row?.['ids'] === 'string' ? row['ids'].split(',').map(Number) : []);

/** One word of private characters and digits, which no text holds and no stemming changes. */
const ownerTerm = (id: string) => `\ue001${Buffer.from(id, 'utf16le').toString('hex')}\ue001`;
