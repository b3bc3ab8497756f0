import type { DatabaseSync } from 'node:sqlite';
import type { MissingVector } from './index-calls.ts';

export interface Similar {
  id: number;
  /** The cosine, -1 to 1. */
  similarity: number;
}

/** Texts by their meaning: vectors of chunks, or of entries, of one model. `id` is that of the chunk or the entry. */
export class VectorIndex {
  readonly #database: DatabaseSync;
  readonly #table: 'chunks' | 'entries';
  constructor(database: DatabaseSync, table: 'chunks' | 'entries') {
    this.#database = database;
    this.#table = table;
  }

  /** Told of each chunk or entry that came or went, after its commit; which of them have vectors is found out here. */
  changed(_change: { added: number[]; removed: number[] }): void {
    throw new Error(`to be done ${this.#table} ${String(this.#database)}`);
  }

  clear(): void {}

  /** Reads what a search needs in memory. */
  warm(_model: string): void {}

  count(_model: string): number {
    return 0;
  }

  search(
    _query: { model: string; values: Float32Array },
    _limits: { limit: number; under?: string | undefined; ownerId?: string | undefined },
  ): Similar[] {
    return [];
  }

  missing(_model: string, _limit: number): MissingVector[] {
    return [];
  }
}
