import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { NumberReader } from './number-reader.ts';

/** Sizes are stored in blocks of ids, since ids are never reused. */
const BLOCK_BITS = 16;
const BLOCK = 2 ** BLOCK_BITS;
const PAGE = 5000;
/** Above this number of changes a full read is faster. */
const MAX_PENDING = 5000;

/** Word counts of all texts, which BM25 needs as text lengths. */
export class TextSizes {
  readonly #statements: Record<'one' | 'page', StatementSync>;
  /** The size plus one; 0 for no text. */
  readonly #blocks = new Map<number, Uint32Array>();
  /** Texts that changed since the last read; undefined for all. */
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

  /** The average number of words in a text. */
  get average(): number {
    return this.#count === 0 ? 1 : this.#words / this.#count;
  }

  of(id: number): number {
    return (this.#blocks.get(id >>> BLOCK_BITS)?.[id & (BLOCK - 1)] ?? 1) - 1;
  }

  changed(id: number): void {
    this.#pending?.add(id);
    if (this.#pending && this.#pending.size > MAX_PENDING) this.#pending = undefined;
  }

  /** Everything is read again, because the change may still be rolled back. */
  invalidate(): void {
    this.#pending = undefined;
  }

  /** Reads the changed sizes. */
  refresh(): void {
    if (this.#pending) {
      for (const id of this.#pending) this.#set(id, this.#statements.one.get(id)?.['sizes']);
      this.#pending.clear();
      return;
    }
    this.#blocks.clear();
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
    const offset = id & (BLOCK - 1);
    let block = this.#blocks.get(id >>> BLOCK_BITS);
    const previous = block?.[offset] ?? 0;
    if (previous > 0) {
      this.#count--;
      this.#words -= before;
    }
    const isThere = typeof sizes === 'string' && sizes !== '';
    if (isThere && !block) this.#blocks.set(id >>> BLOCK_BITS, (block = new Uint32Array(BLOCK)));
    const size = isThere ? sumOf(sizes) : 0;
    if (block) block[offset] = isThere ? size + 1 : 0;
    if (!isThere) return;
    this.#count++;
    this.#words += size;
  }
}

/**
 * The sum of SQLite varints: seven bits per byte, most significant first, with the high bit set on all but the last.
 */
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
