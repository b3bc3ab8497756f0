import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { NumberReader } from './number-reader.ts';
import type { Stems } from './stems.ts';
import type { TextSizes } from './text-sizes.ts';

/** The texts that hold a word, by id in their order, and the points it gives each of them. */
export interface PointList {
  ids: Uint32Array;
  points: Float32Array;
}

/** How much a word counts in the path, the tags and the heading; in the body it counts once. */
const ABOVE_BODY = 2;
/** Of BM25, as SQLite has them: how soon a word that comes again says nothing new, and how much the length of a text matters. */
export const K1 = 1.2;
const B = 0.75;
/** Entries of lists: about 16 MiB. */
const MOST_KEPT = 2_000_000;
const MOST_COUNTS = 10_000;

/**
 * BM25 of each word in each text, from the places of words that FTS5 keeps: its own function for BM25 needs five times
 * as long, because it looks at each text anew. What is reckoned is kept: the words that come again and again are those
 * in many texts.
 */
export class WordPoints {
  readonly #places: StatementSync;
  readonly #texts: StatementSync;
  readonly #reader = new NumberReader();
  readonly #stems: Stems;
  readonly #sizes: TextSizes;
  /** The one that was used last comes last. */
  readonly #lists = new Map<string, PointList>();
  #kept = 0;
  /** In how many texts words are, of whose lists nothing may be known. */
  readonly #counts = new Map<string, number>();

  constructor(
    database: DatabaseSync,
    table: 'chunk_words' | 'entry_words',
    deps: { stems: Stems; sizes: TextSizes },
  ) {
    this.#stems = deps.stems;
    this.#sizes = deps.sizes;
    const schema = table === 'chunk_words' ? 'main' : 'temp';
    database.exec(`
      create virtual table if not exists temp.${table}_places using fts5vocab('${schema}', '${table}', 'instance');
      create virtual table if not exists temp.${table}_counts using fts5vocab('${schema}', '${table}', 'row');
    `);
    // Rows one by one would cost more than all the rest.
    this.#places = database.prepare(
      `select group_concat(doc * 2 + (col = 'body')) as places from temp.${table}_places where term = ?`,
    );
    this.#texts = database.prepare(`select doc from temp.${table}_counts where term = ?`);
  }

  /** Forgets what was reckoned before the texts changed. */
  reset(): void {
    this.#lists.clear();
    this.#kept = 0;
    this.#counts.clear();
  }

  /** The share of the texts that hold a word: for a word that is in most, known in a thirtieth of the time of its list. */
  share(word: string): number {
    return this.#sizes.count === 0 ? 0 : this.#count(word) / this.#sizes.count;
  }

  /** The weight of a word in BM25, its inverse document frequency, as Lucene has it: above 0 for words in most texts, too. */
  rarity(word: string): number {
    return this.#rarityOf(this.#count(word));
  }

  list(word: string): PointList {
    const stem = this.#stems.of(word);
    const kept = this.#lists.get(stem);
    const list = kept ?? this.#read(stem);
    this.#lists.delete(stem);
    this.#lists.set(stem, list);
    if (!kept) this.#kept += list.ids.length;
    return list;
  }

  /** Forgets the lists that nobody used for long; not in the middle of a search, which asks for some more than once. */
  trim(): void {
    for (const [oldest, list] of this.#lists) {
      if (this.#kept <= MOST_KEPT) return;
      this.#lists.delete(oldest);
      this.#kept -= list.ids.length;
    }
  }

  #count(word: string): number {
    const stem = this.#stems.of(word);
    const known = this.#lists.get(stem)?.ids.length ?? this.#counts.get(stem);
    if (known !== undefined) return known;
    const count = Number(this.#texts.get(stem)?.['doc'] ?? 0);
    if (this.#counts.size >= MOST_COUNTS) this.#counts.clear();
    this.#counts.set(stem, count);
    return count;
  }

  #rarityOf(count: number): number {
    return Math.log(1 + (this.#sizes.count - count + 0.5) / (count + 0.5));
  }

  #read(stem: string): PointList {
    const places = this.#reader.read(this.#places.get(stem)?.['places']);
    const ids = new Uint32Array(places.length);
    const points = new Float32Array(places.length);
    // First how often each text holds the word, in the place of its points.
    let count = 0;
    for (const place of places) {
      const id = place >>> 1;
      if (count === 0 || ids[count - 1] !== id) {
        ids[count] = id;
        points[count++] = 0;
      }
      points[count - 1] = (points[count - 1] ?? 0) + (place & 1 ? 1 : ABOVE_BODY);
    }
    const rarity = this.#rarityOf(count);
    const { average } = this.#sizes;
    for (let at = 0; at < count; at++) {
      const often = points[at] ?? 0;
      const length = this.#sizes.of(ids[at] ?? 0) / average;
      points[at] = (rarity * often * (K1 + 1)) / (often + K1 * (1 - B + B * length));
    }
    return { ids: ids.slice(0, count), points: points.slice(0, count) };
  }
}
