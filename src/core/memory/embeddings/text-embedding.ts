import { estimateTokens } from '../../text/token-estimate.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { MissingVector } from '../index/index-calls.ts';
import { hashText } from '../index/hash-text.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { Embedder, EmbeddingChoice } from './embedder.ts';
import { EmbeddingError } from './embedding-error.ts';
import { RefusedTexts } from './refused-texts.ts';
import { toBatches } from './text-batches.ts';

/** Any model takes it. */
const HARMLESS = 'hello';

export interface TextEmbeddingDeps {
  embedder: Pick<Embedder, 'pace' | 'embedTexts'>;
  index: Pick<IndexClient, 'call'>;
  log: Log;
}

/** What one run of embedding has done. */
export interface EmbeddingRun {
  choice: EmbeddingChoice;
  signal: AbortSignal;
  /** The hashes of the texts that got their vector lately. */
  stored: Set<string>;
  /** How many got theirs in all, and about how many tokens that were. */
  texts: number;
  tokens: number;
  /** It began anew once, because the vectors that there were had another length. */
  isSecond: boolean;
}

/** Makes the vectors of texts and stores them batch by batch: what was paid for is kept, whatever fails afterwards. */
export class TextEmbedding {
  readonly #deps: TextEmbeddingDeps;
  readonly #refused = new RefusedTexts();

  constructor(deps: TextEmbeddingDeps) {
    this.#deps = deps;
  }

  /** Up to `limit` texts, or a few more, that have no vector and may get one. */
  async missing(model: string, limit: number): Promise<MissingVector[]> {
    for (;;) {
      const refused = this.#refused.skippedHashes(model);
      const upTo = limit + refused.size;
      const texts = await this.#deps.index.call('missingVectors', { model, limit: upTo });
      // There is nothing in them to make a vector of.
      for (const { hash, text } of texts) if (text.trim() === '') this.#refused.refuse(model, hash);
      const found = texts.filter(({ hash }) => !this.#refused.skippedHashes(model).has(hash));
      if (found.length > 0 || texts.length < upTo) return found;
    }
  }

  /** Throws what keeps the provider from making vectors of anything. */
  async embed(run: EmbeddingRun, texts: readonly MissingVector[]): Promise<void> {
    const { batch, parallel } = this.#deps.embedder.batching(run.choice);
    const batches = toBatches(texts, batch);
    const work = async () => {
      try {
        for (let next = batches.shift(); next; next = batches.shift()) await this.#embedBatch(run, next);
      } catch (error) {
        batches.length = 0;
        throw error;
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: parallel }, work));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  }

  /** Whether the provider makes vectors of another length now than those that the index has of the model. */
  async makesOthers({ choice, signal }: EmbeddingRun): Promise<boolean> {
    const { embedder, index } = this.#deps;
    const [values] = await embedder.embedTexts(choice, [HARMLESS], signal);
    const vectors = values ? [{ hash: hashText(HARMLESS).toString('hex'), values }] : [];
    try {
      await index.call('putVectors', { model: choice.name, vectors });
      return false;
    } catch (error) {
      if (isOtherLength(error)) return true;
      throw error;
    }
  }

  /** Why some texts wait for another try, if any do. */
  get whyPostponed(): Error | undefined {
    return this.#refused.whyPostponed;
  }

  takeUpPostponed(): void {
    this.#refused.retryPostponed();
  }

  forgetRefused(): void {
    this.#refused.clear();
  }

  async #embedBatch(run: EmbeddingRun, batch: MissingVector[]): Promise<void> {
    const { embedder, index } = this.#deps;
    const { choice, signal } = run;
    if (signal.aborted) throw new AppError('wrong_state', 'It was stopped');
    let values: Float32Array[];
    try {
      const texts = batch.map(({ text }) => text);
      values = await embedder.embedTexts(choice, texts, signal);
    } catch (error) {
      if (error instanceof EmbeddingError && error.mayBeTheText) return this.#embedApart(run, batch, error);
      throw error;
    }
    const vectors = batch.flatMap(({ hash }, at) => (values[at] ? [{ hash, values: values[at] }] : []));
    await index.call('putVectors', { model: choice.name, vectors });
    for (const { hash } of batch) run.stored.add(hash);
    run.texts += batch.length;
    run.tokens += batch.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  }

  /** One text must not keep the others from their vectors. */
  async #embedApart(run: EmbeddingRun, batch: MissingVector[], refusal: EmbeddingError): Promise<void> {
    const { choice, signal } = run;
    // Where this fails, too, it is not the texts.
    await this.#deps.embedder.embedTexts(choice, [HARMLESS], signal);
    const [only] = batch;
    if (only && batch.length === 1) return this.#refuse(choice, only, refusal);
    const middle = Math.ceil(batch.length / 2);
    await this.#embedBatch(run, batch.slice(0, middle));
    await this.#embedBatch(run, batch.slice(middle));
  }

  #refuse({ name: model }: EmbeddingChoice, { hash }: MissingVector, refusal: EmbeddingError): void {
    if (refusal.code === 'validation') this.#refused.refuse(model, hash);
    else if (!this.#refused.postpone(model, hash, refusal)) return;
    const fields = { model, hash, reason: refusal.message };
    this.#deps.log.warn(fields, 'a text gets no vector: the provider refuses it');
  }
}

/** What the index says of vectors that cannot be compared with those that it has. */
export const isOtherLength = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'conflict';
