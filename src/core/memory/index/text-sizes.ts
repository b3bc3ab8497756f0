import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { NumberReader } from './number-reader.ts';

/** Sizes are kept in stretches of ids, since ids that are gone do not come again. */
const STRETCH_BITS = 16;
const STRETCH = 2 ** STRETCH_BITS;
const PAGE = 5000;
/** With more changes than this it is faster to read everything. */
const MOST_PENDING = 5000;

/** How many words each text of an index has, of which BM25 takes the length of a text. */
export class TextSizes {
  readonly #statements: Record<'one' | 'page', StatementSync>;
  /** One more than the size; 0 where there is no text. */
  readonly #stretches = new Map<number, Uint32Array>();
  /** Texts that came, went or changed since they were read; undefined for all. */
  #pending: Set<number> | undefined;
  #count = 0;
  #words = 0;

  constructor(database: DatabaseSync, table: string) {
    this.#statements = {
      one: database.prepare(`select hex(sz) as sizes from ${table}_docsize where id = ?`),
      page: database.prepare(`
        select group_concat(id) as ids, group_concat(hex(sz)) as sizes
        from (select id, sz from ${table}_docsize where id > ? order by id limit ${PAGE})`),
    };
  }

  get count(): number {
    return this.#count;
  }

  /** Words of a text of usual length. */
  get average(): number {
    return this.#count === 0 ? 1 : this.#words / this.#count;
  }

  of(id: number): number {
    return (this.#stretches.get(id >>> STRETCH_BITS)?.[id & (STRETCH - 1)] ?? 1) - 1;
  }

  changed(id: number): void {
    this.#pending?.add(id);
    if (this.#pending && this.#pending.size > MOST_PENDING) this.#pending = undefined;
  }

  /** Everything is read anew: whether the change holds is not known yet. */
  allChanged(): void {
    this.#pending = undefined;
  }

  /** Reads what changed. */
  refresh(): void {
    if (this.#pending) {
      for (const id of this.#pending) this.#set(id, this.#statements.one.get(id)?.['sizes']);
      this.#pending.clear();
      return;
    }
    this.#stretches.clear();
    this.#count = 0;
    this.#words = 0;
    this.#pending = new Set();
    const reader = new NumberReader();
    for (let last = -1, isFull = true; isFull;) {
      const row = this.#statements.page.get(last);
      const ids = reader.read(row?.['ids']);
      const sizes = String(row?.['sizes'] ?? '').split(',');
      for (const [at, id] of ids.entries()) this.#set(id, sizes[at]);
      last = ids.at(-1) ?? last;
      isFull = ids.length === PAGE;
    }
  }

  #set(id: number, sizes: unknown): void {
    const before = this.of(id);
    const place = id & (STRETCH - 1);
    let stretch = this.#stretches.get(id >>> STRETCH_BITS);
    const had = stretch?.[place] ?? 0;
    if (had > 0) {
      this.#count--;
      this.#words -= before;
    }
    const isThere = typeof sizes === 'string' && sizes !== '';
    if (isThere && !stretch) this.#stretches.set(id >>> STRETCH_BITS, (stretch = new Uint32Array(STRETCH)));
    const size = isThere ? sumOf(sizes) : 0;
    if (stretch) stretch[place] = isThere ? size + 1 : 0;
    if (!isThere) return;
    this.#count++;
    this.#words += size;
  }
}

/** The sum of numbers as SQLite writes them: seven bits to a byte, the highest first, all but the last with the eighth bit. */
function sumOf(hex: string): number {
  let sum = 0;
  let number = 0;
  for (let at = 0; at < hex.length; at += 2) {
    const byte = Number.parseInt(hex.slice(at, at + 2), 16);
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    sum += number;
    number = 0;
  }
  return sum;
}
