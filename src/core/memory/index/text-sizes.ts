/** Sizes are stored in blocks of ids, since ids are never reused. */
const BLOCK_BITS = 16;
const BLOCK = 2 ** BLOCK_BITS;

/** Word counts of all texts, which BM25 needs as text lengths. */
export class TextSizes {
  /** The size plus one; 0 for no text. */
  readonly #blocks = new Map<number, Uint32Array>();
  #count = 0;
  #words = 0;

  get count(): number {
    return this.#count;
  }

  /** The average number of words in a text. */
  get average(): number {
    return this.#words === 0 ? 1 : this.#words / this.#count;
  }

  has(id: number): boolean {
    return (this.#blocks.get(id >>> BLOCK_BITS)?.[id & (BLOCK - 1)] ?? 0) > 0;
  }

  of(id: number): number {
    return (this.#blocks.get(id >>> BLOCK_BITS)?.[id & (BLOCK - 1)] ?? 1) - 1;
  }

  add(id: number, size: number): void {
    let block = this.#blocks.get(id >>> BLOCK_BITS);
    if (!block) this.#blocks.set(id >>> BLOCK_BITS, (block = new Uint32Array(BLOCK)));
    block[id & (BLOCK - 1)] = size + 1;
    this.#count++;
    this.#words += size;
  }

  /** Returns whether there was such a text. */
  remove(id: number): boolean {
    const block = this.#blocks.get(id >>> BLOCK_BITS);
    if (!block || !this.has(id)) return false;
    this.#words -= this.of(id);
    this.#count--;
    block[id & (BLOCK - 1)] = 0;
    return true;
  }

  clear(): void {
    this.#blocks.clear();
    this.#count = 0;
    this.#words = 0;
  }
}
