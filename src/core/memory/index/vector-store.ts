import type { DatabaseSync } from 'node:sqlite';

/** Vectors by the hash of their text: what was paid for once is kept as long as the text is. */
export class VectorStore {
  readonly #database: DatabaseSync;
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Answers which chunks and entries have a vector now. */
  put(
    _model: string,
    _vectors: { hash: string; values: Float32Array }[],
  ): { chunks: number[]; entries: number[] } {
    throw new Error(`to be done ${String(this.#database)}`);
  }

  /** Removes vectors of other models, and of texts that nothing holds any more. */
  keepOnly(_model: string | undefined): void {}
}
