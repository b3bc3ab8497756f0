import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { hashText } from '../../../../src/core/memory/index/hash-text.ts';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { VectorStore } from '../../../../src/core/memory/index/vector-store.ts';

export const hashOf = (text: string) => hashText(text).toString('hex');

export interface TestVectors extends Disposable {
  database: DatabaseSync;
  store: VectorStore;
  /** Returns the id of the chunk. */
  addChunk(text: string, path?: string): number;
  removeChunk(id: number): void;
  addEntry(text: string, ownerId: string): number;
  put(
    model: string,
    vectors: Record<string, number[] | Float32Array>,
  ): { chunks: number[]; entries: number[] };
}

/** An index in its own folder whose rows are written directly. */
export function openTestVectors(): TestVectors {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vectors-'));
  const database = openIndexDatabase(join(folder, 'memory.db'), 2);
  const store = new VectorStore(database);
  const file = database.prepare(
    `insert into files (path, hash, size, stamp, chunk_count, updated_at) values (?, '', 0, '', 0, '')
     on conflict do update set size = 0 returning id`,
  );
  const chunk = database.prepare(
    `insert into chunks (file_id, ordinal, start_line, end_line, heading, text, text_hash)
     values (?, 0, 1, 1, '', ?, ?) returning id`,
  );
  const entry = database.prepare(
    'insert into temp.entries (key, owner_id, text, text_hash) values (?, ?, ?, ?) returning id',
  );
  let lastKey = 0;
  return {
    database,
    store,
    addChunk: (text, path = '/notes/a.md') =>
      Number(chunk.get(Number(file.get(path)?.['id']), text, hashText(text))?.['id']),
    removeChunk: (id) => void database.prepare('delete from chunks where id = ?').run(id),
    addEntry: (text, ownerId) => Number(entry.get(`key ${++lastKey}`, ownerId, text, hashText(text))?.['id']),
    put: (model, vectors) =>
      store.put(
        model,
        Object.entries(vectors).map(([text, values]) => ({
          hash: hashOf(text),
          values: Float32Array.from(values),
        })),
      ),
    [Symbol.dispose]() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The same numbers for the same seed, between 0 and 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random vector, uniform in direction. */
export function randomVector(random: () => number, dimensions: number): Float32Array {
  return Float32Array.from(
    { length: dimensions },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? Number.NaN, b[i] ?? Number.NaN];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}
