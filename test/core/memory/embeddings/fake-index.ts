import { AppError } from '../../../../src/core/errors.ts';
import { hashText } from '../../../../src/core/memory/index/hash-text.ts';
import type { IndexClient } from '../../../../src/core/memory/index/index-client.ts';
import type { IndexCalls } from '../../../../src/core/memory/index/index-calls.ts';

type Handlers = Pick<IndexCalls, 'missingVectors' | 'putVectors' | 'keepVectorsOf' | 'stats'>;

/** Stores texts and vectors like the index thread. */
export class FakeIndex {
  isRunning = true;
  isSyncing = false;
  refusesAll = false;
  /** The number of calls. */
  calls = 0;
  readonly texts = new Map<string, string>();
  readonly vectors = new Map<string, Map<string, Float32Array>>();

  constructor(texts: readonly string[] = []) {
    this.add(...texts);
  }

  add(...texts: string[]): void {
    for (const text of texts) this.texts.set(hashText(text).toString('hex'), text);
  }

  /** Texts with a vector of the model. */
  embedded(model: string): string[] {
    return [...(this.vectors.get(model)?.keys() ?? [])].flatMap((hash) => this.texts.get(hash) ?? []);
  }

  readonly #handlers: Handlers = {
    missingVectors: async ({ model, limit }) =>
      [...this.texts]
        .filter(([hash]) => !this.vectors.get(model)?.has(hash))
        .slice(0, limit)
        .map(([hash, text]) => ({ hash, text })),
    putVectors: ({ model, vectors }) => {
      const kept = this.vectors.get(model) ?? new Map<string, Float32Array>();
      const length = [...kept.values()][0]?.length ?? vectors[0]?.values.length;
      if (this.refusesAll || vectors.some(({ values }) => values.length !== length))
        throw new AppError('conflict', `Other dimensions than ${length}`);
      for (const { hash, values } of vectors) kept.set(hash, values);
      this.vectors.set(model, kept);
    },
    keepVectorsOf: async (model) => {
      for (const [other, vectors] of this.vectors) {
        if (model !== undefined && other !== model) this.vectors.delete(other);
        for (const hash of vectors.keys()) if (!this.texts.has(hash)) vectors.delete(hash);
      }
    },
    stats: (model) => ({
      fileCount: 1,
      chunkCount: this.texts.size,
      lastSyncAt: null,
      embeddedCount: model === undefined ? 0 : this.embedded(model).length,
      ...(this.isSyncing && { syncing: { basePath: '/', phase: 'reading', done: 0 } }),
    }),
  };

  readonly call = (async (name: keyof Handlers, argument: never) => {
    this.calls++;
    return this.#handlers[name](argument);
  }) as IndexClient['call'];
}
