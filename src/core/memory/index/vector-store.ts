import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { toBlob, toUnitVector } from './unit-vector.ts';
import { MAX_DIMENSIONS } from './vector-codes.ts';

/** Rows that are looked at in one piece. */
const PIECE = 500;

/** Vectors by the hash of their text: what was paid for once is kept as long as the text is. */
export class VectorStore {
  readonly #database: DatabaseSync;
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Answers which chunks and entries have a vector now. Keeps none of them when one has another number of dimensions
   * than those that are there. One without a direction is kept empty, so that it is not asked for again.
   */
  put(
    model: string,
    vectors: { hash: string; values: Float32Array }[],
  ): { chunks: number[]; entries: number[] } {
    this.#checkDimensions(model, vectors);
    const insert = this.#database.prepare(
      `insert into vectors (model, text_hash, vector) values (?, ?, ?)
       on conflict (model, text_hash) do update set vector = excluded.vector`,
    );
    this.#database.exec('savepoint put_vectors');
    try {
      for (const { hash, values } of vectors) {
        const vector = toUnitVector(values) ?? new Float32Array();
        insert.run(model, Buffer.from(hash, 'hex'), toBlob(vector));
      }
    } catch (error) {
      this.#database.exec('rollback to put_vectors');
      throw error;
    } finally {
      this.#database.exec('release put_vectors');
    }
    const hashes = JSON.stringify(vectors.map(({ hash }) => hash));
    return { chunks: this.#holders('chunks', hashes), entries: this.#holders('temp.entries', hashes) };
  }

  /** Removes vectors of other models, unless none is given, and of texts that nothing holds any more. */
  async keepOnly(model: string | undefined): Promise<void> {
    const endOfPiece = this.#database.prepare(
      'select max(id) as id from (select id from vectors where id > ? order by id limit ?)',
    );
    const remove = this.#database.prepare(
      `delete from vectors where id > ? and id <= ? and (model <> coalesce(?, model) or not (
         exists (select 1 from chunks where chunks.text_hash = vectors.text_hash)
         or exists (select 1 from temp.entries e where e.text_hash = vectors.text_hash)))`,
    );
    for (let from = 0; ; await nextTurn()) {
      const to = endOfPiece.get(from, PIECE)?.['id'];
      if (typeof to !== 'number') return;
      remove.run(from, to, model ?? null);
      from = to;
    }
  }

  #checkDimensions(model: string, vectors: { values: Float32Array }[]): void {
    const bytes = this.#database
      .prepare('select length(vector) as bytes from vectors where model = ? and length(vector) > 0 limit 1')
      .get(model)?.['bytes'];
    const expected = bytes === undefined ? vectors[0]?.values.length : Number(bytes) / 4;
    const other = vectors.find(
      ({ values: { length } }) => length !== expected || length === 0 || length > MAX_DIMENSIONS,
    );
    if (other)
      throw new AppError(
        'conflict',
        `A vector of ${model} has ${other.values.length} dimensions, where ${expected} were expected (at most ${MAX_DIMENSIONS})`,
      );
  }

  #holders(table: string, hashes: string): number[] {
    return this.#database
      .prepare(
        `select t.id from json_each(?) as hash join ${table} t on t.text_hash = unhex(hash.value) order by t.id`,
      )
      .all(hashes)
      .map(({ id }) => Number(id));
  }
}
