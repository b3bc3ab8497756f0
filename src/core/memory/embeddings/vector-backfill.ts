import { AppError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { MissingVector } from '../index/index-calls.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { SharedVectors } from '../shared/shared-vectors.ts';
import type { Embedder, EmbeddingChoice } from './embedder.ts';
import { type EmbeddingPass, isDimensionMismatch, TextEmbedding } from './text-embedding.ts';

const PAGE = 256;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 10 * 60_000;

export interface VectorBackfillDeps {
  embedder: Pick<Embedder, 'choice' | 'configurationError' | 'batching' | 'embedTexts' | 'reset'>;
  index: Pick<IndexClient, 'call' | 'isRunning'>;
  /** Whether nothing was ever indexed; then the index is not started. */
  isEmpty: () => boolean;
  /** Resolves once the index is complete, so that unknown texts are really gone. */
  isComplete: () => Promise<unknown>;
  /** Where other daemons compute vectors too: one of them does at a time. */
  shared?: SharedVectors | undefined;
  log: Log;
  setTimer?: (callback: () => void, ms: number) => NodeJS.Timeout;
}

interface Pass extends EmbeddingPass {
  /** Whether it is this daemon that computes vectors. */
  hasTurn: boolean;
}

interface ActivePass extends Pass {
  stopping: AbortController;
  finished: Promise<void>;
}

/**
 * Computes a vector for every indexed text: in batches, once per text, with retries, and again when the model changes.
 */
export class VectorBackfill {
  readonly #deps: VectorBackfillDeps & Required<Pick<VectorBackfillDeps, 'setTimer'>>;
  readonly #texts: TextEmbedding;
  readonly #listeners = new Set<(done: number, total: number) => void>();
  #active: ActivePass | undefined;
  /** New texts may have arrived since the current pass last looked. */
  #hasNewTexts = false;
  #hasMismatch = false;
  #failure: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The provider asked to wait; retrying sooner would make it worse. */
  #isRateLimited = false;
  /** The only model whose vectors are still stored. */
  #cleanedModel: string | undefined;
  #isStopped = false;

  constructor(deps: VectorBackfillDeps) {
    this.#deps = { setTimer: (callback, ms) => setTimeout(callback, ms).unref(), ...deps };
    this.#texts = new TextEmbedding(deps);
  }

  /** Why the last attempt failed; undefined when it succeeded. */
  get failure(): string | undefined {
    return this.#deps.embedder.configurationError() ?? this.#failure;
  }

  /** Starts a pass unless one is active or a retry is scheduled. */
  wake(): void {
    const { embedder, index, isEmpty } = this.#deps;
    if (this.#isStopped) return;
    const choice = embedder.choice();
    if (this.#active) {
      this.#hasNewTexts = true;
      if (this.#active.choice.name !== choice?.name) this.#active.stopping.abort();
      return;
    }
    if (!choice) return this.#clearFailure();
    if (this.#timer || (!index.isRunning && isEmpty())) return;
    this.#start(choice);
  }

  /** Called when a query vector could not be compared: checks whether the model's vectors changed their length. */
  reportMismatch(): void {
    if (this.#active) return;
    this.#hasMismatch = true;
    this.wake();
  }

  /** Clears failures and starts again after provider settings changed. */
  restart(): void {
    this.#clearFailure();
    this.#texts.clearRefused();
    this.#deps.embedder.reset();
    this.wake();
  }

  /**
   * Resolves when no vector is missing or the provider failed; reports progress. Because a caller waits, an earlier
   * failure is retried at once unless the provider asked to wait.
   */
  async waitUntilComplete(
    onProgress: (done: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    this.#listeners.add(onProgress);
    if (!this.#isRateLimited) this.#stopTimer();
    this.wake();
    while (this.#active && !signal.aborted) await Promise.race([this.#active.finished, aborted]);
    this.#listeners.delete(onProgress);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    this.#active?.stopping.abort();
    await this.#active?.finished;
  }

  #start(choice: EmbeddingChoice): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const pass = {
      choice,
      signal,
      stored: new Set<string>(),
      texts: 0,
      tokens: 0,
      isRestarted: false,
      hasTurn: false,
    };
    const finished = this.#process(pass)
      .catch((error: unknown) => this.#fail(pass, error))
      .then(() => this.#endTurn(pass))
      .finally(() => this.#finish(pass));
    this.#active = Object.assign(pass, { stopping, finished });
  }

  async #process(pass: Pass): Promise<void> {
    const { name } = pass.choice;
    const { shared } = this.#deps;
    this.#texts.retryPostponed();
    while (!pass.signal.aborted) {
      const hadNewTexts = this.#hasNewTexts;
      this.#hasNewTexts = false;
      const texts = await this.#texts.missing(name, PAGE);
      // A text that was removed and added again needs a new vector, also after a clear.
      const haveTextsArrived = hadNewTexts || this.#hasNewTexts;
      if (!haveTextsArrived && texts.some(({ hash }) => pass.stored.has(hash)))
        throw new Error('The index loses vectors that were stored');
      pass.stored.clear();
      const length = texts.length === 0 ? await this.#confirmMismatch(pass) : undefined;
      if (length !== undefined) await this.#discardVectors(pass, length);
      else if (texts.length === 0 && !this.#hasNewTexts) break;
      if (texts.length > 0 && shared && !pass.hasTurn) {
        pass.hasTurn = await shared.takeTurn(pass.signal);
        // Whoever had the turn has computed some of them.
        this.#hasNewTexts ||= hadNewTexts;
        continue;
      }
      await this.#embed(pass, texts);
      if (pass.stored.size > 0) this.#clearFailure();
      await this.#reportProgress(name);
    }
    if (pass.signal.aborted) return;
    const { postponeReason } = this.#texts;
    if (postponeReason) throw postponeReason;
    this.#clearFailure();
    await this.#removeStaleVectors(pass);
  }

  async #embed(pass: Pass, texts: readonly MissingVector[]): Promise<void> {
    try {
      await this.#texts.embed(pass, texts);
    } catch (error) {
      if (!isDimensionMismatch(error) || pass.isRestarted) throw error;
      const length = await this.#texts.changedDimensions(pass);
      if (length === undefined) throw error;
      pass.stored.clear();
      await this.#discardVectors(pass, length);
    }
  }

  /** The length of new vectors, where the stored ones really have another one. */
  async #confirmMismatch(pass: Pass): Promise<number | undefined> {
    if (!this.#hasMismatch || pass.isRestarted) return undefined;
    this.#hasMismatch = false;
    const { embeddedCount } = await this.#deps.index.call('stats', pass.choice.name);
    return embeddedCount > 0 ? this.#texts.changedDimensions(pass) : undefined;
  }

  async #discardVectors(pass: Pass, length: number): Promise<void> {
    const { index, embedder, shared, log } = this.#deps;
    const model = pass.choice.name;
    log.warn({ model }, 'the model now returns vectors of another length; all are computed again');
    pass.isRestarted = true;
    await shared?.keepLength(model, length);
    await index.call('keepVectorsOf', '');
    embedder.reset();
  }

  async #reportProgress(model: string): Promise<void> {
    if (this.#listeners.size === 0) return;
    const { embeddedCount, chunkCount } = await this.#deps.index.call('stats', model);
    for (const listener of this.#listeners) listener(embeddedCount, chunkCount);
  }

  /**
   * Removes vectors of other models and of removed texts. Only when nothing is missing, so that switching back to a
   * model costs nothing.
   */
  async #removeStaleVectors({ choice: { name }, signal, texts, hasTurn }: Pass): Promise<void> {
    const { index, isComplete, shared } = this.#deps;
    if (texts > 0) this.#cleanedModel = undefined;
    if (this.#cleanedModel === name) return;
    // A moved file is briefly missing during a sync.
    if ((await index.call('stats', undefined)).syncing) return;
    await isComplete();
    if (signal.aborted) return;
    await index.call('keepVectorsOf', name);
    if (hasTurn) await shared?.keepOnly(name);
    this.#cleanedModel = name;
  }

  #fail({ choice, signal }: EmbeddingPass, error: unknown): void {
    if (signal.aborted) return;
    const { log, setTimer } = this.#deps;
    const isExpected = error instanceof AppError;
    if (!isExpected) log.error({ err: error }, 'this is a bug in svc');
    this.#failure = isExpected ? error.message : 'Something unexpected went wrong. See the log';
    const retryAfterMs = (isExpected && error.retryAfterMs) || 0;
    this.#isRateLimited = retryAfterMs > 0;
    const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, LONGEST_WAIT_MS);
    const waitMs = Math.max(retryAfterMs, backoffMs);
    const fields = { model: choice.name, reason: this.#failure, waitMs };
    log.warn(fields, 'the vectors of the memory cannot be computed now; retrying later');
    this.#timer = setTimer(() => {
      this.#timer = undefined;
      this.wake();
    }, waitMs);
  }

  /** Never rejects: a lease that is not released expires. */
  async #endTurn({ hasTurn }: Pass): Promise<void> {
    const { shared, log } = this.#deps;
    if (hasTurn)
      await shared
        ?.endTurn()
        .catch((error: unknown) =>
          log.warn(
            { reason: messageOf(error) },
            'the turn to compute vectors could not be given back; it expires',
          ),
        );
  }

  #finish({ choice, signal, texts, tokens }: EmbeddingPass): void {
    this.#active = undefined;
    if (texts > 0) this.#deps.log.debug({ model: choice.name, texts, tokens }, 'texts embedded');
    if (this.#hasNewTexts || signal.aborted) this.wake();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #clearFailure(): void {
    this.#stopTimer();
    this.#isRateLimited = false;
    this.#failure = undefined;
    this.#failures = 0;
  }
}
