import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ExactSimilarity } from './exact-similarity.ts';
import type { MissingVector } from './index-calls.ts';
import { pathRange } from './path-range.ts';
import { toFloats, toUnitVector } from './unit-vector.ts';
import { VectorCodes } from './vector-codes.ts';

export interface Similar {
  id: number;
  /** The cosine, -1 to 1. */
  similarity: number;
}

export interface QueryVector {
  model: string;
  values: Float32Array;
}

export interface VectorLimits {
  limit: number;
  /** Only chunks of files at or below this path. */
  under?: string | undefined;
  /** Only entries of this user. */
  ownerId?: string | undefined;
}

/** Rows read before yielding to the event loop. */
const BATCH_SIZE = 500;
/** Extra candidates for the exact comparison, because the codes in memory are only good to three digits. */
const SPARE = 50;

/** The vectors in memory, of the model that was searched last. */
interface Loaded {
  model: string;
  /** undefined without any vector. */
  codes?: VectorCodes | undefined;
  /** Ids whose vector has no direction. */
  unusable: Set<number>;
  /** The last id that was read; undefined when all are read. */
  readTo: number | undefined;
}

/**
 * Finds the vectors of chunks or entries nearest to a query, for one model at a time. `id` is the id of a chunk or
 * entry.
 */
export class VectorIndex {
  readonly #database: DatabaseSync;
  readonly #table: 'chunks' | 'temp.entries';
  readonly #group: 'file_id' | 'id';
  readonly #exact: ExactSimilarity;
  #loaded: Loaded | undefined;
  /** All texts up to this id have a vector. */
  #complete = { model: '', id: 0 };

  constructor(database: DatabaseSync, table: 'chunks' | 'entries', findExtension?: () => string | undefined) {
    this.#database = database;
    this.#table = table === 'chunks' ? 'chunks' : 'temp.entries';
    this.#group = table === 'chunks' ? 'file_id' : 'id';
    this.#exact = new ExactSimilarity(database, this.#table, findExtension);
  }

  /** Called after each commit with the chunks or entries that were added and removed; looks up their vectors. */
  applyChange({ added, removed }: { added: number[]; removed: number[] }): void {
    for (const id of added) this.#complete.id = Math.min(this.#complete.id, id - 1);
    const loaded = this.#loaded;
    if (!loaded) return;
    for (const id of removed) {
      loaded.codes?.remove(id);
      loaded.unusable.delete(id);
    }
    if (added.length === 0) return;
    const rows = this.#selectVectors('t.id in (select value from json_each(?))').all(
      loaded.model,
      JSON.stringify(added),
    );
    for (const row of rows) this.#keep(loaded, row);
  }

  clear(): void {
    this.#loaded = undefined;
    this.#complete = { model: '', id: 0 };
  }

  /** Drops cached vectors of other models after they were deleted. */
  keepOnly(model: string): void {
    if (this.#loaded?.model !== model) this.#loaded = undefined;
    if (this.#complete.model !== model) this.#complete = { model, id: 0 };
  }

  /** Loads the vectors that a search needs. */
  async warm(model: string): Promise<void> {
    const loaded = this.#load(model);
    while (loaded === this.#loaded && this.#readBatch(loaded)) await yieldToEventLoop();
  }

  /** How many have a vector, including unusable ones. */
  count(model: string): number {
    const loaded = this.#loaded;
    if (loaded?.model === model && loaded.readTo === undefined)
      return (loaded.codes?.size ?? 0) + loaded.unusable.size;
    return Number(
      this.#database
        .prepare(
          `select count(*) as n from ${this.#table} t where exists (
             select 1 from vectors v where v.model = ? and v.text_hash = t.text_hash)`,
        )
        .get(model)?.['n'],
    );
  }

  /** Whether any stored vector can be compared with the query. */
  canCompare({ model, values }: QueryVector): boolean {
    const { codes } = this.#loadAll(model);
    if (!codes || codes.size === 0 || codes.dimensions !== values.length) return false;
    return toUnitVector(values) !== undefined;
  }

  /** The nearest texts, best first. */
  search({ model, values }: QueryVector, { limit, under, ownerId }: VectorLimits): Similar[] {
    const { codes } = this.#loadAll(model);
    const query = toUnitVector(values);
    if (!codes || !query || codes.dimensions !== query.length) return [];
    const nearest = codes.nearest(query, limit + SPARE, this.#allowed(under, ownerId));
    return this.#exact
      .of(model, query, nearest)
      .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
      .slice(0, limit);
  }

  /** Texts without a vector, deduplicated, oldest first. */
  async missing(model: string, limit: number): Promise<MissingVector[]> {
    if (this.#complete.model !== model) this.#complete = { model, id: 0 };
    const complete = this.#complete;
    const endOfBatch = this.#database.prepare(
      `select max(id) as id from (select id from ${this.#table} where id > ? order by id limit ?)`,
    );
    const select = this.#database.prepare(
      `select hex(t.text_hash) as hash, t.text from ${this.#table} t where t.id > ? and t.id <= ? and not exists (
         select 1 from vectors v where v.model = ? and v.text_hash = t.text_hash) order by t.id`,
    );
    const found = new Map<string, string>();
    for (let from = complete.id; ; await yieldToEventLoop()) {
      const to = endOfBatch.get(from, BATCH_SIZE)?.['id'];
      if (typeof to !== 'number') break;
      for (const { hash, text } of select.iterate(from, to, model)) {
        found.set(String(hash).toLowerCase(), String(text));
        if (found.size === limit) break;
      }
      if (found.size === limit) break;
      if (found.size === 0 && complete.id === from) complete.id = to;
      from = to;
    }
    return [...found].map(([hash, text]) => ({ hash, text }));
  }

  #load(model: string): Loaded {
    if (this.#loaded?.model !== model) this.#loaded = { model, readTo: 0, unusable: new Set() };
    return this.#loaded;
  }

  #loadAll(model: string): Loaded {
    const loaded = this.#load(model);
    while (this.#readBatch(loaded));
    return loaded;
  }

  /** Returns whether there may be more. */
  #readBatch(loaded: Loaded): boolean {
    if (loaded.readTo === undefined) return false;
    const rows = this.#selectVectors('t.id > ? order by t.id limit ?').all(
      loaded.model,
      loaded.readTo,
      BATCH_SIZE,
    );
    for (const row of rows) this.#keep(loaded, row);
    loaded.readTo = rows.length < BATCH_SIZE ? undefined : Number(rows.at(-1)?.['id']);
    return loaded.readTo !== undefined;
  }

  #selectVectors(which: string): StatementSync {
    return this.#database.prepare(
      `select t.id, t.${this.#group} as "group", v.vector from ${this.#table} t
       cross join vectors v on v.model = ? and v.text_hash = t.text_hash where ${which}`,
    );
  }

  #keep(loaded: Loaded, { id, group, vector }: Record<string, SQLOutputValue>): void {
    const values = toFloats(vector as Uint8Array);
    if (values.length === 0) {
      loaded.codes?.remove(Number(id));
      loaded.unusable.add(Number(id));
      return;
    }
    loaded.unusable.delete(Number(id));
    // All vectors of a model have the same dimensions; others were removed.
    if (loaded.codes?.dimensions !== values.length) loaded.codes = new VectorCodes(values.length);
    loaded.codes.put(Number(id), Number(group), values);
  }

  /** The groups within the limits; undefined for all. */
  #allowed(under: string | undefined, ownerId: string | undefined): Set<number> | undefined {
    if (this.#table === 'temp.entries')
      return ownerId === undefined
        ? undefined
        : this.#ids('select id from temp.entries where owner_id = ?', ownerId);
    if (under === undefined) return undefined;
    const { path, above, below } = pathRange(under);
    return this.#ids('select id from files where path = ? or (path > ? and path < ?)', path, above, below);
  }

  #ids(select: string, ...values: string[]): Set<number> {
    const rows = this.#database.prepare(select).all(...values);
    return new Set(rows.map(({ id }) => Number(id)));
  }
}
