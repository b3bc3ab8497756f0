import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexTerm } from './index-words.ts';

/** Counts are used again until this share of the texts has changed. */
const CHANGED_SHARE = 0.02;
const MOST_KEPT = 5000;
/** Of the row that holds the totals of an FTS5 index: how many texts there are, and the words of each column. */
const TOTALS_ROW = 1;

/**
 * How many texts of an index there are, and how many hold a word. SQLite's index forgets to take what is deleted from
 * its totals, by which it ranks: they are put right before the next search.
 */
export class WordCounts {
  readonly #database: DatabaseSync;
  readonly #statements: Record<
    'sizes' | 'allSizes' | 'count' | 'totals' | 'setTotals' | 'textsWith',
    StatementSync
  >;
  readonly #kept = new Map<string, number>();
  #changes = 0;
  #texts: number | undefined;
  /** Sums over what was deleted since the totals were right: texts, and words of each column. */
  #gone: number[] = [];

  constructor(database: DatabaseSync, table: string) {
    this.#database = database;
    this.#statements = {
      sizes: database.prepare(`select sz from ${table}_docsize where id = ?`),
      allSizes: database.prepare(`select sz from ${table}_docsize`),
      count: database.prepare(`select count(*) as n from ${table}_docsize`),
      totals: database.prepare(`select block from ${table}_data where id = ${TOTALS_ROW}`),
      setTotals: database.prepare(`update ${table}_data set block = ? where id = ${TOTALS_ROW}`),
      textsWith: database.prepare(`select count(*) as n from ${table} where ${table} match ?`),
    };
  }

  added(): void {
    this.#changed();
  }

  /** Told before a text goes; answers whether there is one. */
  removes(id: number): boolean {
    const sizes = this.#statements.sizes.get(id)?.['sz'];
    if (!(sizes instanceof Uint8Array)) return false;
    addTo(this.#gone, [1, ...readNumbers(sizes)]);
    this.#changed();
    return true;
  }

  cleared(): void {
    this.#kept.clear();
    this.#gone = [];
    this.#texts = undefined;
  }

  textsWith(word: string): number {
    this.#putRight();
    const kept = this.#kept.get(word);
    if (kept !== undefined) return kept;
    const count = Number(this.#statements.textsWith.get(`"${indexTerm(word)}"`)?.['n']);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(word, count);
    return count;
  }

  /** The weight of a word in BM25 (its inverse document frequency), as SQLite reckons it. */
  rarity(word: string): number {
    const count = this.textsWith(word);
    const texts = this.#texts ?? 0;
    return Math.max(1e-6, Math.log((texts - count + 0.5) / (count + 0.5)));
  }

  #changed(): void {
    this.#texts = undefined;
    this.#changes++;
  }

  #putRight(): void {
    if (this.#texts !== undefined) return;
    const texts = Number(this.#statements.count.get()?.['n']);
    if (this.#changes > CHANGED_SHARE * texts) {
      this.#kept.clear();
      this.#changes = 0;
    }
    this.#texts = texts;
    // What a transaction under way knows of the totals would overwrite them.
    if (this.#database.isTransaction) return;
    const block = this.#statements.totals.get()?.['block'];
    if (!(block instanceof Uint8Array) || block.length === 0) return;
    const totals = readNumbers(block);
    if (this.#gone.length === 0 && totals[0] === texts) return;
    const right = totals.map((total, at) => total - (this.#gone[at] ?? 0));
    // A process that was killed, or a rollback: they are summed up anew.
    this.#statements.setTotals.run(writeNumbers(right[0] === texts ? right : this.#summedUp(texts)));
    this.#gone = [];
  }

  #summedUp(texts: number): number[] {
    const sums = [texts];
    for (const { sz } of this.#statements.allSizes.iterate())
      if (sz instanceof Uint8Array) addTo(sums, [0, ...readNumbers(sz)]);
    return sums;
  }
}

function addTo(sums: number[], numbers: number[]): void {
  for (const [at, number] of numbers.entries()) sums[at] = (sums[at] ?? 0) + number;
}

/** Numbers as SQLite writes them: seven bits to a byte, the highest first, the last one without the eighth bit. */
function readNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

function writeNumbers(numbers: number[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap((number) => {
      const bytes = [number % 128];
      for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
        bytes.unshift(128 + (rest % 128));
      return bytes;
    }),
  );
}
