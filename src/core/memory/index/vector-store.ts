import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { toBlob, toUnitVector } from './unit-vector.ts';
import { MAX_DIMENSIONS } from './vector-codes.ts';

/** Rows processed before yielding to the event loop. */
const BATCH_SIZE = 500;

/** Stores vectors by the hash of their text, as long as the text exists, so that none is paid for twice. */
export class VectorStore {
  readonly #database: DatabaseSync;
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Returns the chunks and entries that now have a vector. Stores nothing when a vector has other dimensions than the
   * stored ones. A vector without direction is stored empty, so that it is not requested again.
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

  /** Removes vectors of removed texts and, when a model is given, of other models. */
  async keepOnly(model: string | undefined): Promise<void> {
    const endOfBatch = this.#database.prepare(
      'select max(id) as id from (select id from vectors where id > ? order by id limit ?)',
    );
    const remove = this.#database.prepare(
      `delete from vectors where id > ? and id <= ? and (model <> coalesce(?, model) or not (
         exists (select 1 from chunks where chunks.text_hash = vectors.text_hash)
         or exists (select 1 from temp.entries e where e.text_hash = vectors.text_hash)))`,
    );
    for (let from = 0; ; await yieldToEventLoop()) {
      const to = endOfBatch.get(from, BATCH_SIZE)?.['id'];
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
