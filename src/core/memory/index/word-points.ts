import { porterStem } from './porter-stem.ts';
import { PostingList } from './posting-list.ts';
import type { TextSizes } from './text-sizes.ts';

/** The texts that contain a word, sorted by id, with the points it gives them. */
export interface PointList {
  ids: Uint32Array;
  points: Float32Array;
}

/** The BM25 parameters of SQLite: term saturation and length normalization. */
export const K1 = 1.2;
const B = 0.75;
/** Cached list entries: about 16 MiB. */
const MAX_CACHED_ENTRIES = 2_000_000;
const MAX_CACHED_COUNTS = 10_000;

export interface WordPointsDeps {
  sizes: TextSizes;
  /** Appends the postings of a term; some may be of removed texts. */
  read: (term: string, into: PostingList) => void;
  /** In how many texts a term is. */
  count: (term: string) => number;
}

/** Computes BM25 per word and text from the postings and caches it. */
export class WordPoints {
  readonly #deps: WordPointsDeps;
  /** The most recently used list comes last. */
  readonly #lists = new Map<string, PointList>();
  #cachedEntries = 0;
  /** Document frequencies of words without a cached list. */
  readonly #counts = new Map<string, number>();
  readonly #postings = new PostingList();

  constructor(deps: WordPointsDeps) {
    this.#deps = deps;
  }

  /** Drops cached results after the texts changed. */
  reset(): void {
    this.#lists.clear();
    this.#cachedEntries = 0;
    this.#counts.clear();
  }

  /** The share of texts that contain a word. */
  share(word: string): number {
    const { count } = this.#deps.sizes;
    return count === 0 ? 0 : this.#count(word) / count;
  }

  /** The inverse document frequency of a word as in Lucene: above 0 for frequent words, too. */
  rarity(word: string): number {
    return this.#rarityOf(this.#count(word));
  }

  list(word: string): PointList {
    const stem = porterStem(word);
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
    const stem = porterStem(word);
    const known = this.#lists.get(stem)?.ids.length ?? this.#counts.get(stem);
    if (known !== undefined) return known;
    const count = this.#deps.count(stem);
    if (this.#counts.size >= MAX_CACHED_COUNTS) this.#counts.clear();
    this.#counts.set(stem, count);
    return count;
  }

  #rarityOf(count: number): number {
    return Math.log(1 + (this.#deps.sizes.count - count + 0.5) / (count + 0.5));
  }

  #read(stem: string): PointList {
    const { sizes, read } = this.#deps;
    const found = this.#postings;
    found.length = 0;
    read(stem, found);
    const ids = new Uint32Array(found.length);
    const points = new Float32Array(found.length);
    let count = 0;
    for (let at = 0; at < found.length; at++) {
      const id = found.ids[at] ?? 0;
      if (!sizes.has(id)) continue;
      ids[count] = id;
      points[count++] = found.frequencies[at] ?? 0;
    }
    const rarity = this.#rarityOf(count);
    const { average } = sizes;
    for (let at = 0; at < count; at++) {
      const frequency = points[at] ?? 0;
      const length = sizes.of(ids[at] ?? 0) / average;
      points[at] = (rarity * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * length));
    }
    return count === ids.length
      ? { ids, points }
      : { ids: ids.slice(0, count), points: points.slice(0, count) };
  }
}
