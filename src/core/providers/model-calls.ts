import type { CompletionChunk, FinishReason, TokenUsage } from '../../contract/chat.ts';
import type { ModelMetrics } from '../metrics/model-metrics.ts';
import { BrokenOff, failCall, LONGEST_CALL_MS, nobodyWaits } from './call-failure.ts';
import { costOf } from './call-cost.ts';
import { finishReasonOf, isWhole } from './finish-reason.ts';
import { modelError } from './model-error.ts';
import { type RequestOptions, toModelRequest } from './model-request.ts';
import type { Prompt } from './prompt.ts';
import type { ModelProviders } from './model-providers.ts';
import type { ModelFailure, ResolvedModel, VendorModel } from './resolved-model.ts';
import { toTokenUsage } from './token-usage.ts';

export interface CallOptions extends RequestOptions {
  /** Aborts the call when nobody waits for its answer any more. */
  signal: AbortSignal;
}

export interface ModelAnswer {
  content: string;
  finishReason: FinishReason;
  usage: TokenUsage;
}

export interface ModelCallsDeps {
  providers: Pick<ModelProviders, 'toFailure' | 'succeeded' | 'failed'>;
  /** How long a call may take, five minutes unless given. */
  longestMs?: number;
  metrics?: Pick<ModelMetrics, 'begin'>;
}

/**
 * Asks models for text: the packages of the vendors themselves, since what the SDK puts around them for tools and steps
 * costs several times as much for each piece. Every failure is an `AppError`, and the provider's breaker hears
 * of it.
 */
export class ModelCalls {
  readonly #providers: ModelCallsDeps['providers'];
  readonly #longestMs: number;
  readonly #metrics: ModelCallsDeps['metrics'];

  constructor({ providers, longestMs = LONGEST_CALL_MS, metrics }: ModelCallsDeps) {
    this.#providers = providers;
    this.#metrics = metrics;
    this.#longestMs = longestMs;
  }

  async ask(resolved: ResolvedModel, prompt: Prompt, options: CallOptions): Promise<ModelAnswer> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const count = this.#metrics?.begin(resolved);
    try {
      const abortSignal = AbortSignal.any([options.signal, timeout]);
      const { content, ...end } = await resolved.model.doGenerate(
        toModelRequest(prompt, options, abortSignal),
      );
      this.#providers.succeeded(resolved.provider);
      count?.({ ...endOf(end), costUsd: costOf(end.providerMetadata) });
      return {
        content: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        ...endOf(end),
      };
    } catch (error) {
      if (options.signal.aborted) throw nobodyWaits();
      count?.();
      throw modelError(this.#fail(resolved, error, timeout));
    }
  }

  /** Resolves when the model begins to answer; what fails before that is thrown, what fails later is a chunk. */
  async stream(
    resolved: ResolvedModel,
    prompt: Prompt,
    options: CallOptions,
  ): Promise<AsyncGenerator<CompletionChunk>> {
    const chunks = this.#chunks(resolved, prompt, options);
    const first = await chunks.next();
    return resume(first, chunks);
  }

  async *#chunks(
    resolved: ResolvedModel,
    prompt: Prompt,
    options: CallOptions,
  ): AsyncGenerator<CompletionChunk, void> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const left = new AbortController();
    const count = this.#metrics?.begin(resolved);
    let hasBegun = false;
    let end: End | undefined;
    try {
      const abortSignal = AbortSignal.any([options.signal, timeout, left.signal]);
      const { stream } = await resolved.model.doStream(toModelRequest(prompt, options, abortSignal));
      const reader = stream.getReader();
      // Whatever the package does: a read that waits must not outlive whoever waits for it.
      abortSignal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const part = read.value;
        if (part.type === 'error') throw part.error;
        if (part.type === 'finish') end = part;
        if (part.type !== 'text-delta' || part.delta === '') continue;
        hasBegun = true;
        yield { content: part.delta };
      }
      if (!end || !isWholeEnd(end)) throw new BrokenOff();
      this.#providers.succeeded(resolved.provider);
      count?.({ ...endOf(end), costUsd: costOf(end.providerMetadata) });
      hasBegun = true;
      yield { done: true, ...endOf(end) };
    } catch (error) {
      if (options.signal.aborted) {
        if (hasBegun) return;
        throw nobodyWaits();
      }
      count?.();
      const failure = this.#fail(resolved, error, timeout);
      if (!hasBegun) throw modelError(failure);
      yield { error: modelError(failure).message, code: failure.code };
    } finally {
      // Whoever stops to read early wants no more of it.
      left.abort();
    }
  }

  #fail(resolved: ResolvedModel, error: unknown, timeout: AbortSignal): ModelFailure {
    return failCall(this.#providers, resolved, error, { timeout, longestMs: this.#longestMs });
  }
}

async function* resume<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

type End = Pick<
  Awaited<ReturnType<VendorModel['doGenerate']>>,
  'finishReason' | 'usage' | 'providerMetadata'
>;

const endOf = ({ finishReason, usage: { inputTokens, outputTokens } }: End) => ({
  usage: toTokenUsage({
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    totalTokens: undefined,
  }),
  finishReason: finishReasonOf(finishReason.unified),
});

const isWholeEnd = ({ finishReason: { unified, raw } }: End): boolean =>
  isWhole({ finishReason: unified, rawFinishReason: raw });
