import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { NumberReader } from './number-reader.ts';
import type { Stems } from './stems.ts';
import type { TextSizes } from './text-sizes.ts';

/** The texts that contain a word, sorted by id, with the points it gives them. */
export interface PointList {
  ids: Uint32Array;
  points: Float32Array;
}

/** The weight of a word in the path, tags and heading; in the body it is 1. */
const ABOVE_BODY = 2;
/** The BM25 parameters of SQLite: term saturation and length normalization. */
export const K1 = 1.2;
const B = 0.75;
/** Cached list entries: about 16 MiB. */
const MAX_CACHED_ENTRIES = 2_000_000;
const MAX_CACHED_COUNTS = 10_000;

/**
 * Computes BM25 per word and text from the FTS5 positions and caches it. The BM25 function of FTS5 takes five times as
 * long because it reads each text again.
 */
export class WordPoints {
  readonly #positions: StatementSync;
  readonly #texts: StatementSync;
  readonly #reader = new NumberReader();
  readonly #stems: Stems;
  readonly #sizes: TextSizes;
  /** The most recently used list comes last. */
  readonly #lists = new Map<string, PointList>();
  #cachedEntries = 0;
  /** Document frequencies of words without a cached list. */
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
    // Aggregated, because fetching single rows would cost more than everything else.
    this.#positions = database.prepare(
      `select group_concat(doc * 2 + (col = 'body')) as places from temp.${table}_places where term = ?`,
    );
    this.#texts = database.prepare(`select doc from temp.${table}_counts where term = ?`);
  }

  /** Drops cached results after the texts changed. */
  reset(): void {
    this.#lists.clear();
    this.#cachedEntries = 0;
    this.#counts.clear();
  }

  /** The share of texts that contain a word; for a frequent word thirty times faster than its list. */
  share(word: string): number {
    return this.#sizes.count === 0 ? 0 : this.#count(word) / this.#sizes.count;
  }

  /** The inverse document frequency of a word as in Lucene: above 0 for frequent words, too. */
  rarity(word: string): number {
    return this.#rarityOf(this.#count(word));
  }

  list(word: string): PointList {
    const stem = this.#stems.of(word);
    const cached = this.#lists.get(stem);
    const list = cached ?? this.#read(stem);
    this.#lists.delete(stem);
    this.#lists.set(stem, list);
    if (!cached) this.#cachedEntries += list.ids.length;
    return list;
  }

  /** Evicts the least recently used lists. Not during a search, which may need a list twice. */
  trim(): void {
    for (const [oldest, list] of this.#lists) {
      if (this.#cachedEntries <= MAX_CACHED_ENTRIES) return;
      this.#lists.delete(oldest);
      this.#cachedEntries -= list.ids.length;
    }
  }

  #count(word: string): number {
    const stem = this.#stems.of(word);
    const known = this.#lists.get(stem)?.ids.length ?? this.#counts.get(stem);
    if (known !== undefined) return known;
    const count = Number(this.#texts.get(stem)?.['doc'] ?? 0);
    if (this.#counts.size >= MAX_CACHED_COUNTS) this.#counts.clear();
    this.#counts.set(stem, count);
    return count;
  }

  #rarityOf(count: number): number {
    return Math.log(1 + (this.#sizes.count - count + 0.5) / (count + 0.5));
  }

  #read(stem: string): PointList {
    const positions = this.#reader.read(this.#positions.get(stem)?.['places']);
    const ids = new Uint32Array(positions.length);
    const points = new Float32Array(positions.length);
    // First the weighted frequency of the word, stored where its points go.
    let count = 0;
    for (const position of positions) {
      const id = position >>> 1;
      if (count === 0 || ids[count - 1] !== id) {
        ids[count] = id;
        points[count++] = 0;
      }
      points[count - 1] = (points[count - 1] ?? 0) + (position & 1 ? 1 : ABOVE_BODY);
    }
    const rarity = this.#rarityOf(count);
    const { average } = this.#sizes;
    for (let at = 0; at < count; at++) {
      const frequency = points[at] ?? 0;
      const length = this.#sizes.of(ids[at] ?? 0) / average;
      points[at] = (rarity * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * length));
    }
    return { ids: ids.slice(0, count), points: points.slice(0, count) };
  }
}
