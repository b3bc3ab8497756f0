import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toBlob, toFloats } from './unit-vector.ts';
import { findVectorExtension } from './vector-extension.ts';

/**
 * Computes exact cosines of stored vectors: with sqlite-vec inside SQLite, or in JavaScript when the extension cannot
 * be loaded.
 */
export class ExactSimilarity {
  readonly #database: DatabaseSync;
  readonly #table: string;
  readonly #findExtension: () => string | undefined;
  #measure: ((model: string, query: Float32Array, ids: number[]) => [number, number][]) | undefined;

  constructor(database: DatabaseSync, table: string, findExtension = findVectorExtension) {
    this.#database = database;
    this.#table = table;
    this.#findExtension = findExtension;
  }

  /** `query` is a unit vector. Missing ids and ids without a vector are left out. */
  of(model: string, query: Float32Array, ids: number[]): { id: number; similarity: number }[] {
    this.#measure ??= this.#loadExtension() ? this.#insideSqlite() : this.#outside();
    const measured = this.#measure(model, query, ids);
    return measured.map(([id, cosine]) => ({ id, similarity: Math.max(-1, Math.min(1, cosine)) }));
  }

  #insideSqlite() {
    const select = this.#select('1 - vec_distance_cosine(v.vector, ?)');
    return (model: string, query: Float32Array, ids: number[]) =>
      select.all(toBlob(query), JSON.stringify(ids), model) as unknown as [number, number][];
  }

  #outside() {
    const select = this.#select('v.vector');
    return (model: string, query: Float32Array, ids: number[]) => {
      const rows = select.all(JSON.stringify(ids), model) as unknown as [number, Uint8Array][];
      return rows.map(([id, blob]): [number, number] => [id, dot(query, toFloats(blob))]);
    };
  }

  #select(what: string): StatementSync {
    const statement = this.#database.prepare(
      `select t.id, ${what} from json_each(?) as wanted cross join ${this.#table} t on t.id = wanted.value
       cross join vectors v on v.text_hash = t.text_hash and v.model = ? and length(v.vector) > 0`,
    );
    statement.setReturnArrays(true);
    return statement;
  }

  /** Extension loading is disabled again afterwards. */
  #loadExtension(): boolean {
    const file = this.#findExtension();
    if (file === undefined) return false;
    try {
      this.#database.enableLoadExtension(true);
      this.#database.loadExtension(file);
      return true;
    } catch {
      return false;
    } finally {
      this.#database.enableLoadExtension(false);
    }
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
