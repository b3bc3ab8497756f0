import { estimateTokens } from '../../text/token-estimate.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { MissingVector } from '../index/index-calls.ts';
import { hashText } from '../index/hash-text.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { SharedVectors } from '../shared/shared-vectors.ts';
import type { Embedder, EmbeddingChoice } from './embedder.ts';
import { EmbeddingError } from './embedding-error.ts';
import { RefusedTexts } from './refused-texts.ts';
import { toBatches } from './text-batches.ts';

/** A text that any model accepts. */
const PROBE_TEXT = 'hello';

export interface TextEmbeddingDeps {
  embedder: Pick<Embedder, 'batching' | 'embedTexts'>;
  index: Pick<IndexClient, 'call'>;
  /** Where other daemons compute vectors too. */
  shared?: Pick<SharedVectors, 'find' | 'store'> | undefined;
  log: Log;
}

/** The state of one pass over the missing vectors. */
export interface EmbeddingPass {
  choice: EmbeddingChoice;
  signal: AbortSignal;
  /** Hashes of the texts that were stored recently. */
  stored: Set<string>;
  /** How many texts were embedded in total, and roughly how many tokens. */
  texts: number;
  tokens: number;
  /** The pass restarted once because existing vectors had another length. */
  isRestarted: boolean;
}

/** Computes and stores vectors batch by batch, so that paid results survive a later failure. */
export class TextEmbedding {
  readonly #deps: TextEmbeddingDeps;
  readonly #refused = new RefusedTexts();

  constructor(deps: TextEmbeddingDeps) {
    this.#deps = deps;
  }

  /** About `limit` texts that need a vector and are not rejected. */
  async missing(model: string, limit: number): Promise<MissingVector[]> {
    for (;;) {
      const refused = this.#refused.skippedHashes(model);
      const upTo = limit + refused.size;
      const texts = await this.#deps.index.call('missingVectors', { model, limit: upTo });
      // Blank texts have no vector.
      for (const { hash, text } of texts) if (text.trim() === '') this.#refused.refuse(model, hash);
      const stored = await this.#takeOver(model, texts);
      const found = texts.filter(
        ({ hash }) => !stored.has(hash) && !this.#refused.skippedHashes(model).has(hash),
      );
      if (found.length > 0 || texts.length < upTo) return found;
    }
  }

  /** Stores the vectors that other daemons have computed, and answers for which texts. */
  async #takeOver(model: string, texts: readonly MissingVector[]): Promise<Set<string>> {
    const { shared, index } = this.#deps;
    const vectors = await shared?.find(
      model,
      texts.map(({ hash }) => hash),
    );
    if (!vectors || vectors.length === 0) return new Set();
    const hashes = new Set(vectors.map(({ hash }) => hash));
    try {
      await index.call('putVectors', { model, vectors });
    } catch (error) {
      if (!isDimensionMismatch(error)) throw error;
      // Another daemon has found that the model changed the length of its vectors: those of this index are outdated.
      await index.call('keepVectorsOf', '');
      await index.call('putVectors', { model, vectors: (await shared?.find(model, [...hashes])) ?? [] });
    }
    return hashes;
  }

  /** Throws when the provider cannot compute any vectors. */
  async embed(pass: EmbeddingPass, texts: readonly MissingVector[]): Promise<void> {
    const { batch, parallel } = this.#deps.embedder.batching(pass.choice);
    const batches = toBatches(texts, batch);
    const work = async () => {
      try {
        for (let next = batches.shift(); next; next = batches.shift()) await this.#embedBatch(pass, next);
      } catch (error) {
        batches.length = 0;
        throw error;
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: parallel }, work));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  }

  /** The length of the vectors that the provider returns now where it is another than that of the stored ones. */
  async changedDimensions({ choice, signal }: EmbeddingPass): Promise<number | undefined> {
    const { embedder, index } = this.#deps;
    const [values] = await embedder.embedTexts(choice, [PROBE_TEXT], signal);
    const vectors = values ? [{ hash: hashText(PROBE_TEXT).toString('hex'), values }] : [];
    const dimensions = values?.length;
    try {
      await index.call('putVectors', { model: choice.name, vectors });
      return undefined;
    } catch (error) {
      if (isDimensionMismatch(error)) return dimensions;
      throw error;
    }
  }

  /** Why some texts are postponed, if any are. */
  get postponeReason(): Error | undefined {
    return this.#refused.postponeReason;
  }

  retryPostponed(): void {
    this.#refused.retryPostponed();
  }

  clearRefused(): void {
    this.#refused.clear();
  }

  async #embedBatch(pass: EmbeddingPass, batch: MissingVector[]): Promise<void> {
    const { embedder, index, shared } = this.#deps;
    const { choice, signal } = pass;
    if (signal.aborted) throw new AppError('wrong_state', 'Embedding was stopped');
    let values: Float32Array[];
    try {
      const texts = batch.map(({ text }) => text);
      values = await embedder.embedTexts(choice, texts, signal);
    } catch (error) {
      if (error instanceof EmbeddingError && error.mayBeCausedByText) return this.#bisect(pass, batch, error);
      throw error;
    }
    const vectors = batch.flatMap(({ hash }, at) => (values[at] ? [{ hash, values: values[at] }] : []));
    // Before the index, which takes the numbers away.
    await shared?.store(choice.name, vectors);
    await index.call('putVectors', { model: choice.name, vectors });
    for (const { hash } of batch) pass.stored.add(hash);
    pass.texts += batch.length;
    pass.tokens += batch.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  }

  /** Halves the batch, so that one rejected text does not block the others. */
  async #bisect(pass: EmbeddingPass, batch: MissingVector[], refusal: EmbeddingError): Promise<void> {
    const { choice, signal } = pass;
    // If the probe fails, too, the texts are not the cause.
    await this.#deps.embedder.embedTexts(choice, [PROBE_TEXT], signal);
    const [only] = batch;
    if (only && batch.length === 1) return this.#refuse(choice, only, refusal);
    const middle = Math.ceil(batch.length / 2);
    await this.#embedBatch(pass, batch.slice(0, middle));
    await this.#embedBatch(pass, batch.slice(middle));
  }

  #refuse({ name: model }: EmbeddingChoice, { hash }: MissingVector, refusal: EmbeddingError): void {
    if (refusal.code === 'validation') this.#refused.refuse(model, hash);
    else if (!this.#refused.postpone(model, hash, refusal)) return;
    const fields = { model, hash, reason: refusal.message };
    this.#deps.log.warn(fields, 'a text gets no vector because the provider rejected it');
  }
}

/** Whether the index rejected vectors of another length than the stored ones. */
export const isDimensionMismatch = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'conflict';
