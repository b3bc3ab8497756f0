import { createDotProducts } from './dot-products.ts';

/** The maximum length of a vector. */
export const MAX_DIMENSIONS = 4096;
const MAX_QUERY_BYTES = 2 * MAX_DIMENSIONS;
/** Vectors compared at a time. */
const BLOCK = 1024;
const ROWS_AT = MAX_QUERY_BYTES + 4 * BLOCK;
/** Pages of 64 KiB added at a time. */
const GROW_PAGES = 16;

interface Near {
  id: number;
  similarity: number;
}

/**
 * Unit vectors in memory, quantized to 8 bits per number. Every query is compared with all of them, so recall does not
 * depend on their distribution.
 */
export class VectorCodes {
  readonly dimensions: number;
  readonly #width: number;
  readonly #products = createDotProducts();
  readonly #rowOf = new Map<number, number>();
  /** By row: the id, the group, and the scale of the codes. */
  #ids = new Float64Array(BLOCK);
  #groups = new Float64Array(BLOCK);
  #steps = new Float32Array(BLOCK);

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#width = Math.ceil(dimensions / 16) * 16;
  }

  get size(): number {
    return this.#rowOf.size;
  }

  /** Inserts or replaces a vector. A search can be limited to groups. */
  put(id: number, group: number, vector: Float32Array): void {
    const row = this.#rowOf.get(id) ?? this.#rowOf.size;
    this.#ensureCapacity(row);
    this.#rowOf.set(id, row);
    let largest = 0;
    for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
    const codes = this.#row(row);
    for (let i = 0; i < vector.length; i++) codes[i] = Math.round(((vector[i] ?? 0) * 127) / largest);
    this.#ids[row] = id;
    this.#groups[row] = group;
    this.#steps[row] = largest / 127;
  }

  /** The last vector moves into the free row. */
  remove(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    const last = this.#rowOf.size - 1;
    const lastId = this.#ids[last] ?? 0;
    this.#row(row).set(this.#row(last));
    this.#ids[row] = lastId;
    this.#groups[row] = this.#groups[last] ?? 0;
    this.#steps[row] = this.#steps[last] ?? 0;
    this.#rowOf.set(lastId, row);
    this.#rowOf.delete(id);
  }

  /** The nearest ids, approximately best first, of all groups by default. `query` is a unit vector. */
  nearest(query: Float32Array, limit: number, groups: Set<number> | undefined): number[] {
    const step = this.#writeQuery(query);
    const { memory, multiplyRows } = this.#products;
    const products = new Int32Array(memory.buffer, MAX_QUERY_BYTES, BLOCK);
    const best: Near[] = [];
    let least = -Infinity;
    for (let from = 0; from < this.size; from += BLOCK) {
      const count = Math.min(BLOCK, this.size - from);
      multiplyRows(0, this.#width, ROWS_AT + from * this.#width, count, MAX_QUERY_BYTES);
      for (let i = 0; i < count; i++) {
        const row = from + i;
        const similarity = (products[i] ?? 0) * (this.#steps[row] ?? 0) * step;
        if (similarity < least || (groups && !groups.has(this.#groups[row] ?? 0))) continue;
        best.push({ id: this.#ids[row] ?? 0, similarity });
      }
      if (best.length <= limit) continue;
      best.sort(bestFirst).length = limit;
      least = best.at(-1)?.similarity ?? -Infinity;
    }
    return best.sort(bestFirst).map(({ id }) => id);
  }

  /** Returns the scale of the query codes. Sums fit in 32 bits: none exceeds the product of the vector lengths. */
  #writeQuery(query: Float32Array): number {
    const codes = new Int16Array(this.#products.memory.buffer, 0, this.#width);
    let largest = 0;
    for (const value of query) largest = Math.max(largest, Math.abs(value));
    const factor = Math.min(32_767 / largest, 2 ** 30 / (127 * Math.sqrt(query.length)));
    for (let i = 0; i < query.length; i++) codes[i] = Math.round((query[i] ?? 0) * factor);
    return 1 / factor;
  }

  #row(row: number): Int8Array {
    return new Int8Array(this.#products.memory.buffer, ROWS_AT + row * this.#width, this.#width);
  }

  #ensureCapacity(row: number): void {
    const { memory } = this.#products;
    if (ROWS_AT + (row + 1) * this.#width > memory.buffer.byteLength) memory.grow(GROW_PAGES);
    if (row < this.#ids.length) return;
    this.#ids = doubled(this.#ids, new Float64Array(2 * row));
    this.#groups = doubled(this.#groups, new Float64Array(2 * row));
    this.#steps = doubled(this.#steps, new Float32Array(2 * row));
  }
}

const bestFirst = (a: Near, b: Near) => b.similarity - a.similarity || a.id - b.id;

function doubled<T extends Float64Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
