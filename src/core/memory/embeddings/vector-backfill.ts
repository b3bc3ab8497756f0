import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { MissingVector } from '../index/index-calls.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { Embedder, EmbeddingChoice } from './embedder.ts';
import { type EmbeddingRun, isOtherLength, TextEmbedding } from './text-embedding.ts';

const PAGE = 256;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 10 * 60_000;

export interface VectorFillDeps {
  embedder: Pick<Embedder, 'choice' | 'missing' | 'pace' | 'embedTexts' | 'startAnew'>;
  index: Pick<IndexClient, 'call' | 'isRunning'>;
  /** Whether nothing was ever indexed: then the index is not started for it. */
  isEmpty: () => boolean;
  /** Resolves once the index knows all that it has to, so that what it does not know is gone. */
  isComplete: () => Promise<unknown>;
  log: Log;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

interface Run extends EmbeddingRun {
  stopping: AbortController;
  ended: Promise<void>;
}

/** Gives every text of the index its vector: in batches, each text once, again after a failure, anew for another model. */
export class VectorFill {
  readonly #deps: Required<VectorFillDeps>;
  readonly #texts: TextEmbedding;
  readonly #listeners = new Set<(done: number, total: number) => void>();
  #run: Run | undefined;
  /** Texts may have come since the run looked. */
  #isAgain = false;
  #isUnfit = false;
  #failure: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** By the provider: to try sooner makes it worse. */
  #isToldToWait = false;
  /** The model of which the index keeps the vectors alone. */
  #kept: string | undefined;
  #isStopped = false;

  constructor(deps: VectorFillDeps) {
    this.#deps = { setTimer: (run, ms) => setTimeout(run, ms).unref(), ...deps };
    this.#texts = new TextEmbedding(deps);
  }

  /** Why vectors could not be made at the last try; undefined when they could. */
  get failure(): string | undefined {
    return this.#deps.embedder.configurationError() ?? this.#failure;
  }

  /** Something may be missing: begins unless it is at it, or waits after a failure. */
  wake(): void {
    const { embedder, index, isEmpty } = this.#deps;
    if (this.#isStopped) return;
    const choice = embedder.choice();
    if (this.#run) {
      this.#isAgain = true;
      if (this.#run.choice.name !== choice?.name) this.#run.stopping.abort();
      return;
    }
    if (!choice) return this.#forgetFailure();
    if (this.#timer || (!index.isRunning && isEmpty())) return;
    this.#begin(choice);
  }

  /** A query could not be compared with the vectors of its model: looks whether they are of another length. */
  wasUnfit(): void {
    if (this.#run) return;
    this.#isUnfit = true;
    this.wake();
  }

  /** The settings say something new of the providers: what failed may go well now. */
  restart(): void {
    this.#forgetFailure();
    this.#texts.forgetRefused();
    this.#deps.embedder.reset();
    this.wake();
  }

  /**
   * Resolves when nothing is missing, or the provider failed; tells how many of how many are done. Somebody waits for it:
   * what failed before is tried at once, unless the provider asked to wait.
   */
  async waitUntilComplete(onProgress: (done: number, total: number) => void, signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    this.#listeners.add(onProgress);
    if (!this.#isToldToWait) this.#stopTimer();
    this.wake();
    while (this.#run && !signal.aborted) await Promise.race([this.#run.ended, aborted]);
    this.#listeners.delete(onProgress);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    this.#run?.stopping.abort();
    await this.#run?.ended;
  }

  #begin(choice: EmbeddingChoice): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const run: EmbeddingRun = { choice, signal, stored: new Set(), texts: 0, tokens: 0, isSecond: false };
    const ended = this.#fill(run)
      .catch((error: unknown) => this.#fail(run, error))
      .finally(() => this.#end(run));
    this.#run = Object.assign(run, { stopping, ended });
  }

  async #fill(run: EmbeddingRun): Promise<void> {
    const { name } = run.choice;
    this.#texts.takeUpPostponed();
    while (!run.signal.aborted) {
      const cameBefore = this.#isAgain;
      this.#isAgain = false;
      const texts = await this.#texts.missing(name, PAGE);
      // A text that was removed, with its vector, and came again needs another one: so it is after a clear.
      const hasCome = cameBefore || this.#isAgain;
      if (!hasCome && texts.some(({ hash }) => run.stored.has(hash)))
        throw new Error('The index forgets the vectors that it is given');
      run.stored.clear();
      if (texts.length === 0 && (await this.#areUnfit(run))) await this.#replace(run);
      else if (texts.length === 0 && !this.#isAgain) break;
      await this.#embed(run, texts);
      if (run.stored.size > 0) this.#forgetFailure();
      await this.#tell(name);
    }
    if (run.signal.aborted) return;
    const { whyPostponed } = this.#texts;
    if (whyPostponed) throw whyPostponed;
    this.#forgetFailure();
    await this.#forgetOthers(run);
  }

  async #embed(run: EmbeddingRun, texts: readonly MissingVector[]): Promise<void> {
    try {
      await this.#texts.embed(run, texts);
    } catch (error) {
      if (!isOtherLength(error) || run.isSecond || !(await this.#texts.makesOthers(run))) throw error;
      run.stored.clear();
      await this.#replace(run);
    }
  }

  /** Whether a query could not be compared with the vectors that there are, and new ones could not either. */
  async #areUnfit(run: EmbeddingRun): Promise<boolean> {
    if (!this.#isUnfit || run.isSecond) return false;
    this.#isUnfit = false;
    const { embeddedCount } = await this.#deps.index.call('stats', run.choice.name);
    return embeddedCount > 0 && this.#texts.makesOthers(run);
  }

  async #replace(run: EmbeddingRun): Promise<void> {
    const { index, embedder, log } = this.#deps;
    const model = run.choice.name;
    log.warn({ model }, 'the vectors of the model have another length now: all are made anew');
    run.isSecond = true;
    await index.call('keepVectorsOf', '');
    embedder.reset();
  }

  async #tell(model: string): Promise<void> {
    if (this.#listeners.size === 0) return;
    const { embeddedCount, chunkCount } = await this.#deps.index.call('stats', model);
    for (const listener of this.#listeners) listener(embeddedCount, chunkCount);
  }

  /** Of other models, and of texts that are gone; no sooner than nothing is missing, so that a change back costs nothing. */
  async #forgetOthers({ choice: { name }, signal, texts }: EmbeddingRun): Promise<void> {
    const { index, isComplete } = this.#deps;
    if (texts > 0) this.#kept = undefined;
    if (this.#kept === name) return;
    // A text that moves is gone for a moment.
    if ((await index.call('stats', undefined)).syncing) return;
    await isComplete();
    if (signal.aborted) return;
    await index.call('keepVectorsOf', name);
    this.#kept = name;
  }

  #fail({ choice, signal }: EmbeddingRun, error: unknown): void {
    if (signal.aborted) return;
    const { log, setTimer } = this.#deps;
    const isExpected = error instanceof AppError;
    if (!isExpected) log.error({ err: error }, 'this is a bug in svc');
    this.#failure = isExpected ? error.message : 'Something unexpected went wrong. See the log';
    const retryAfterMs = (isExpected && error.retryAfterMs) || 0;
    this.#isToldToWait = retryAfterMs > 0;
    const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, LONGEST_WAIT_MS);
    const waitMs = Math.max(retryAfterMs, backoffMs);
    const fields = { model: choice.name, reason: this.#failure, waitMs };
    log.warn(fields, 'the vectors of the memory cannot be made now; it is tried again');
    this.#timer = setTimer(() => {
      this.#timer = undefined;
      this.wake();
    }, waitMs);
  }

  #end({ choice, signal, texts, tokens }: EmbeddingRun): void {
    this.#run = undefined;
    if (texts > 0) this.#deps.log.debug({ model: choice.name, texts, tokens }, 'texts got their vectors');
    if (this.#isAgain || signal.aborted) this.wake();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #forgetFailure(): void {
    this.#stopTimer();
    this.#isToldToWait = false;
    this.#failure = undefined;
    this.#failures = 0;
  }
}
