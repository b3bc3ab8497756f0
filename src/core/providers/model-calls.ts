import type { CompletionChunk, FinishReason, TokenUsage } from '../../contract/chat.ts';
import type { CallDetails, ModelMetrics } from '../metrics/model-metrics.ts';
import { StreamInterrupted, failCall, MAX_CALL_MS, requestCancelled } from './call-failure.ts';
import { costOf } from './call-cost.ts';
import { finishReasonOf, isComplete } from './finish-reason.ts';
import { modelError } from './model-error.ts';
import { type RequestOptions, toModelRequest } from './model-request.ts';
import type { Prompt } from './prompt.ts';
import type { ModelProviders } from './model-providers.ts';
import type { ModelFailure, ResolvedModel, VendorModel } from './resolved-model.ts';
import { answerParts } from './streams/answer-parts.ts';
import { type CachedTokens, toCachedTokens, toTokenUsage } from './token-usage.ts';

export interface CallOptions extends RequestOptions {
  /** Aborts the call when its answer is no longer needed. */
  signal: AbortSignal;
}

export interface ModelAnswer {
  content: string;
  finishReason: FinishReason;
  usage: TokenUsage;
  cached: CachedTokens;
  costUsd: number | undefined;
}

export interface ModelCallsDeps {
  providers: Pick<ModelProviders, 'toFailure' | 'succeeded' | 'failed'>;
  /** The time limit of a call, five minutes by default. */
  longestMs?: number;
  metrics?: Pick<ModelMetrics, 'begin'>;
}

/**
 * Calls models for text through the packages of the vendors directly, because the SDK's layer for tools and steps costs
 * several times as much per chunk. Every failure is an `AppError` and counts for the circuit breaker of the provider.
 */
export class ModelCalls {
  readonly #providers: ModelCallsDeps['providers'];
  readonly #longestMs: number;
  readonly #metrics: ModelCallsDeps['metrics'];

  constructor({ providers, longestMs = MAX_CALL_MS, metrics }: ModelCallsDeps) {
    this.#providers = providers;
    this.#metrics = metrics;
    this.#longestMs = longestMs;
  }

  async ask(resolved: ResolvedModel, prompt: Prompt, options: CallOptions): Promise<ModelAnswer> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const end = this.#metrics?.begin(resolved, detailsOf(prompt, options));
    try {
      const abortSignal = AbortSignal.any([options.signal, timeout]);
      const { content, ...answer } = await resolved.model.doGenerate(
        toModelRequest(prompt, options, abortSignal),
      );
      this.#providers.succeeded(resolved.provider);
      const costUsd = costOf(answer.providerMetadata);
      const { cacheRead, cacheWrite } = answer.usage.inputTokens;
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      end?.({ ...endOf(answer), costUsd }, () => text);
      return { content: text, ...endOf(answer), cached: toCachedTokens(cacheRead, cacheWrite), costUsd };
    } catch (error) {
      if (options.signal.aborted) throw requestCancelled();
      const failure = this.#fail(resolved, error, timeout);
      end?.({ failure: failure.code });
      throw modelError(failure);
    } finally {
      end?.({ failure: 'cancelled' });
    }
  }

  /** Resolves at the first chunk; an earlier failure is thrown, a later one is sent as a chunk. */
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
    const consumerLeft = new AbortController();
    const endCall = this.#metrics?.begin(resolved, { ...detailsOf(prompt, options), isStreamed: true });
    let hasStarted = false;
    let end: End | undefined;
    try {
      const abortSignal = AbortSignal.any([options.signal, timeout, consumerLeft.signal]);
      const request = toModelRequest(prompt, options, abortSignal);
      for await (const parts of answerParts(resolved.model, request))
        for (const part of parts) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'finish') end = part;
          if (part.type !== 'text-delta' || part.delta === '') continue;
          hasStarted = true;
          yield { content: part.delta };
        }
      if (!end || !isCompleteEnd(end)) throw new StreamInterrupted();
      this.#providers.succeeded(resolved.provider);
      endCall?.({ ...endOf(end), costUsd: costOf(end.providerMetadata) });
      hasStarted = true;
      yield { done: true, ...endOf(end) };
    } catch (error) {
      if (options.signal.aborted) {
        if (hasStarted) return;
        throw requestCancelled();
      }
      const failure = this.#fail(resolved, error, timeout);
      endCall?.({ failure: failure.code });
      if (!hasStarted) throw modelError(failure);
      yield { error: modelError(failure).message, code: failure.code };
    } finally {
      endCall?.({ failure: 'cancelled' });
      // Stops the call when the consumer stops reading early.
      consumerLeft.abort();
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

const detailsOf = (prompt: Prompt, { maxTokens, temperature }: RequestOptions): CallDetails => ({
  maxTokens,
  temperature,
  input: () => prompt,
});

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

const isCompleteEnd = ({ finishReason: { unified, raw } }: End): boolean =>
  isComplete({ finishReason: unified, rawFinishReason: raw });
