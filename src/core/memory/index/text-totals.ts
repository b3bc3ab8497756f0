import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Of the row in which FTS5 keeps how many texts there are, and the words of each column. */
const TOTALS_ROW = 1;

/**
 * How many texts an index of words holds. FTS5 ranks by totals from which it does not take what is deleted from a table
 * without contents; they are put right here.
 */
export class TextTotals {
  readonly #database: DatabaseSync;
  readonly #statements: Record<'sizes' | 'allSizes' | 'count' | 'totals' | 'setTotals', StatementSync>;
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
    };
  }

  /** Told before a text goes; answers whether there is one. */
  removes(id: number): boolean {
    const sizes = this.#statements.sizes.get(id)?.['sz'];
    if (!(sizes instanceof Uint8Array)) return false;
    addTo(this.#gone, [1, ...readNumbers(sizes)]);
    return true;
  }

  cleared(): void {
    this.#gone = [];
  }

  /** Puts the totals right, and answers how many texts there are. */
  settle(): number {
    const texts = Number(this.#statements.count.get()?.['n']);
    // A transaction under way has totals of its own, which it would write over these.
    if (this.#database.isTransaction) return texts;
    const block = this.#statements.totals.get()?.['block'];
    if (!(block instanceof Uint8Array) || block.length === 0) return texts;
    const totals = readNumbers(block);
    if (this.#gone.length === 0 && totals[0] === texts) return texts;
    const right = totals.map((total, at) => total - (this.#gone[at] ?? 0));
    // After a kill or a rollback what is gone is not known.
    this.#statements.setTotals.run(writeNumbers(right[0] === texts ? right : this.#summedUp(texts)));
    this.#gone = [];
    return texts;
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

/** Numbers as SQLite writes them: seven bits to a byte, the highest first, all but the last with the eighth bit set. */
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
