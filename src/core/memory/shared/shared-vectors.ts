import { setTimeout as delay } from 'node:timers/promises';
import type { EventBus } from '../../events.ts';
import type { Leases } from '../../leases.ts';
import type { Database } from '../../storage/database.ts';

/** How long is waited for vectors of another daemon before they are looked for again. */
const LOOK_AGAIN_MS = 1000;
const LEASE = 'vectors of the memory';

/** Vectors as the provider computed them. */
export interface TextVector {
  /** SHA-256 of the text, hexadecimal. */
  hash: string;
  values: Float32Array;
}

export interface SharedVectorsDeps {
  database: Database;
  leases: Pick<Leases, 'take' | 'release'>;
  bus: Pick<EventBus, 'emit'>;
}

/** The vectors of a cluster, in its database: each text is paid for once. */
export class SharedVectors {
  readonly #deps: SharedVectorsDeps;
  constructor(deps: SharedVectorsDeps) {
    this.#deps = deps;
  }

  /** The vectors of these texts that any daemon has computed. */
  async find(model: string, hashes: readonly string[]): Promise<TextVector[]> {
    if (hashes.length === 0) return [];
    const rows = await this.#deps.database.read
      .selectFrom('memory_vectors')
      .select(['hash', 'vector'])
      .where('model', '=', model)
      .where('hash', 'in', hashes)
      .execute();
    return rows.map(({ hash, vector }) => ({ hash, values: decode(vector) }));
  }

  async store(model: string, vectors: readonly TextVector[]): Promise<void> {
    if (vectors.length === 0) return;
    const rows = vectors
      .map(({ hash, values }) => ({ model, hash, dimensions: values.length, vector: encode(values) }))
      // In one order, so that two daemons do not wait for each other.
      .toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
    await this.#deps.database.write(({ db }) =>
      db
        .insertInto('memory_vectors')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['model', 'hash']).doUpdateSet((is) => ({
            dimensions: is.ref('excluded.dimensions'),
            vector: is.ref('excluded.vector'),
          })),
        )
        .execute(),
    );
    this.#deps.bus.emit('memory_changed', undefined);
  }

  /** Removes the vectors of a model that have another length. */
  async keepLength(model: string, dimensions: number): Promise<void> {
    await this.#deps.database.write(({ db }) =>
      db
        .deleteFrom('memory_vectors')
        .where('model', '=', model)
        .where('dimensions', '!=', dimensions)
        .execute(),
    );
  }

  /** Removes the vectors of other models. */
  async keepOnly(model: string): Promise<void> {
    await this.#deps.database.write(({ db }) =>
      db.deleteFrom('memory_vectors').where('model', '!=', model).execute(),
    );
  }

  /**
   * Whether this daemon is the one that computes vectors, until `endTurn`. Where another one does, it resolves to false
   * after a while, in which some of them may have come.
   */
  async takeTurn(signal: AbortSignal): Promise<boolean> {
    const { leases } = this.#deps;
    if ((await leases.take(LEASE)).isMine) return true;
    await delay(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    return false;
  }

  async endTurn(): Promise<void> {
    await this.#deps.leases.release(LEASE);
  }
}

const encode = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy, because the bytes of a buffer need not be aligned.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
