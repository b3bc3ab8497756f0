import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexTerm } from './index-words.ts';

/** The texts that hold a word, by id, and the points it gives each of them. */
export interface PointList {
  ids: Uint32Array;
  points: Float32Array;
}

/** How much a word counts in the place, the heading and the body; that of the owner counts nothing. */
const WEIGHTS = '2, 2, 1, 0';
/** Points travel as whole numbers. */
const SCALE = 1e9;
/** About 24 MiB of lists. */
const MOST_KEPT = 3_000_000;
const MOST_COUNTS = 10_000;

/** In an index of more texts than this, a word that is in more than a tenth of them is not weighed text by text. */
const LARGE = 10_000;
const FREQUENT_SHARE = 0.1;
/** Of BM25: what a word adds that is in a text of usual length once, or once in its heading and once below. */
const IN_BODY = 1;
const IN_HEADING = (2.2 * 3) / (1.2 + 3);

/** What each word gives to each text, kept: the words that come again and again are those in many texts. */
export class WordPoints {
  readonly #statements: Record<'ranked' | 'ids' | 'count', StatementSync>;
  /** The one that was used last comes last. */
  readonly #lists = new Map<string, PointList>();
  readonly #counts = new Map<string, number>();
  #kept = 0;
  #texts = 0;

  constructor(database: DatabaseSync, table: string) {
    this.#statements = {
      // Rows one by one would cost more than all the rest. The limit makes SQLite rank inside.
      ranked: database.prepare(`
        select group_concat(id) as ids, group_concat(points) as points from (
          select rowid as id, cast(-${SCALE} * bm25(${table}, ${WEIGHTS}) as integer) as points
          from ${table} where ${table} match ? limit -1
        )`),
      ids: database.prepare(`select group_concat(rowid) as ids from ${table} where ${table} match ?`),
      count: database.prepare(`select count(*) as n from ${table} where ${table} match ?`),
    };
  }

  /** Forgets what is kept; from now on there are this many texts. */
  reset(texts: number): void {
    this.#texts = texts;
    this.#lists.clear();
    this.#counts.clear();
    this.#kept = 0;
  }

  get texts(): number {
    return this.#texts;
  }

  /** The share of the texts that hold a word. */
  share(word: string): number {
    return this.#texts === 0 ? 0 : this.#count(word) / this.#texts;
  }

  /** The weight of a word in BM25, its inverse document frequency, as SQLite reckons it. */
  rarity(word: string): number {
    const count = this.#count(word);
    return Math.max(1e-6, Math.log((this.#texts - count + 0.5) / (count + 0.5)));
  }

  list(word: string): PointList {
    const kept = this.#lists.get(word);
    const list = kept ?? this.#read(word);
    this.#lists.delete(word);
    this.#lists.set(word, list);
    if (!kept) this.#kept += list.ids.length;
    for (const [oldest, { ids }] of this.#lists) {
      if (this.#kept <= MOST_KEPT || oldest === word) break;
      this.#lists.delete(oldest);
      this.#kept -= ids.length;
    }
    return list;
  }

  #count(word: string): number {
    const known = this.#counts.get(word);
    if (known !== undefined) return known;
    const count = Number(this.#statements.count.get(phrase(word))?.['n']);
    if (this.#counts.size >= MOST_COUNTS) this.#counts.clear();
    this.#counts.set(word, count);
    return count;
  }

  #read(word: string): PointList {
    const isFrequent = this.#texts > LARGE && this.share(word) > FREQUENT_SHARE;
    return isFrequent ? this.#readFrequent(word) : this.#readRanked(word);
  }

  #readRanked(word: string): PointList {
    const row = this.#statements.ranked.get(phrase(word));
    const scaled = toNumbers(row?.['points']);
    const points = Float32Array.from(scaled, (number) => Math.max(1, number) / SCALE);
    return { ids: Uint32Array.from(toNumbers(row?.['ids'])), points };
  }

  /** To rank a text costs ten times what it takes to find it. */
  #readFrequent(word: string): PointList {
    const inside = (columns: string) =>
      Uint32Array.from(toNumbers(this.#statements.ids.get(`${columns}${phrase(word)}`)?.['ids']));
    const ids = inside('');
    const rarity = this.rarity(word);
    const points = new Float32Array(ids.length).fill(IN_BODY * rarity);
    let at = 0;
    for (const id of inside('{place heading} : ')) {
      while (ids[at] !== id) at++;
      points[at] = IN_HEADING * rarity;
    }
    return { ids, points };
  }
}

const phrase = (word: string) => `"${indexTerm(word)}"`;

/** The numbers of a list with commas; much faster than to split it. */
function toNumbers(text: unknown): number[] {
  const numbers: number[] = [];
  if (typeof text !== 'string') return numbers;
  for (let at = 0; at < text.length; at++) {
    let number = 0;
    for (let code = text.charCodeAt(at); code >= 48; code = text.charCodeAt(++at))
      number = number * 10 + code - 48;
    numbers.push(number);
  }
  return numbers;
}
