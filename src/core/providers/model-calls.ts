import type { CompletionChunk } from '../../contract/chat.ts';
import type { CallDetails } from '../metrics/model-metrics.ts';
import { type AnswerEnd, toAnswerEnd, type VendorEnd } from './answer-end.ts';
import type { CallCounts } from './call-counts.ts';
import { StreamInterrupted, failCall, MAX_CALL_MS, requestCancelled } from './call-failure.ts';
import { isComplete } from './finish-reason.ts';
import { ModelError, modelError } from './model-error.ts';
import { type CallRequest, type RequestOptions, toModelRequest } from './model-request.ts';
import type { Prompt } from './prompt.ts';
import type { ModelProviders } from './model-providers.ts';
import type { AnswerPart, ResolvedModel, VendorModel } from './resolved-model.ts';
import { answerParts } from './streams/answer-parts.ts';

export interface CallOptions extends RequestOptions {
  /** Aborts the call when its answer is no longer needed. */
  signal: AbortSignal;
}

/** A whole answer, in the parts of the packages. */
export interface WholeAnswer extends AnswerEnd {
  content: Awaited<ReturnType<VendorModel['doGenerate']>>['content'];
}
/** A whole answer in text. */
export interface ModelAnswer extends AnswerEnd {
  content: string;
}

export interface ModelCallsDeps {
  providers: Pick<ModelProviders, 'toFailure' | 'succeeded' | 'failed'>;
  /** The time limit of a call, five minutes by default. */
  longestMs?: number;
  counts?: Pick<CallCounts, 'begin'>;
}

/**
 * Calls models through the packages of the vendors directly, because the SDK's layer for tools and steps costs several
 * times as much per chunk. Every failure is an `AppError` and counts for the circuit breaker of the provider.
 */
export class ModelCalls {
  readonly #providers: ModelCallsDeps['providers'];
  readonly #longestMs: number;
  readonly #counts: ModelCallsDeps['counts'];

  constructor({ providers, longestMs = MAX_CALL_MS, counts }: ModelCallsDeps) {
    this.#providers = providers;
    this.#counts = counts;
    this.#longestMs = longestMs;
  }

  /** A whole answer in text; what else the model sends is left out. */
  async ask(
    resolved: ResolvedModel,
    prompt: Prompt,
    { signal, ...options }: CallOptions,
  ): Promise<ModelAnswer> {
    const answer = await this.answer(resolved, toModelRequest(prompt, options), signal);
    const texts = answer.content.map((part) => (part.type === 'text' ? part.text : ''));
    return { ...answer, content: texts.join('') };
  }

  /** A whole answer; throws a `ModelError`, or another `AppError` when the signal aborts. */
  async answer(resolved: ResolvedModel, request: CallRequest, signal: AbortSignal): Promise<WholeAnswer> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const count = this.#counts?.begin(resolved, detailsOf(request));
    try {
      const abortSignal = AbortSignal.any([signal, timeout]);
      const { content, ...vendorEnd } = await resolved.model.doGenerate({ ...request, abortSignal });
      const end = toAnswerEnd(vendorEnd);
      this.#providers.succeeded(resolved.provider);
      count?.end(end, () => content);
      return { content, ...end };
    } catch (error) {
      if (signal.aborted) throw requestCancelled();
      const failed = this.#fail(resolved, error, timeout);
      count?.end({ failure: failed.failure.code });
      throw failed;
    } finally {
      count?.end({ failure: 'cancelled' });
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

  /**
   * The parts of a streamed answer, those that arrived together in one list, and how it ended. Throws like `answer`, also
   * after parts were yielded.
   */
  async *parts(
    resolved: ResolvedModel,
    request: CallRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], AnswerEnd> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const consumerLeft = new AbortController();
    const count = this.#counts?.begin(resolved, { ...detailsOf(request), isStreamed: true });
    count?.sent(request);
    let vendorEnd: VendorEnd | undefined;
    let hasEnded = false;
    try {
      const abortSignal = AbortSignal.any([signal, timeout, consumerLeft.signal]);
      for await (const parts of answerParts(resolved.model, { ...request, abortSignal })) {
        count?.take(parts);
        const failed = parts.findIndex(({ type }) => type === 'error');
        if (failed > 0) yield parts.slice(0, failed);
        const part = parts[failed];
        if (part?.type === 'error') throw part.error;
        vendorEnd = parts.find((each) => each.type === 'finish') ?? vendorEnd;
        yield parts;
      }
      if (!vendorEnd || !isCompleteEnd(vendorEnd)) throw new StreamInterrupted();
      hasEnded = true;
      const end = toAnswerEnd(vendorEnd);
      this.#providers.succeeded(resolved.provider);
      count?.end(end);
      return end;
    } catch (error) {
      if (signal.aborted) throw requestCancelled();
      const failed = this.#fail(resolved, error, timeout);
      count?.end({ failure: failed.failure.code });
      throw failed;
    } finally {
      count?.end({ failure: 'cancelled' });
      // Stops the call when the consumer stops reading early; making the reason of an abort costs, so not for one that ended.
      if (!hasEnded) consumerLeft.abort();
    }
  }

  async *#chunks(
    resolved: ResolvedModel,
    prompt: Prompt,
    { signal, ...options }: CallOptions,
  ): AsyncGenerator<CompletionChunk, void> {
    let hasStarted = false;
    const lists = this.parts(resolved, toModelRequest(prompt, options), signal);
    try {
      let next = await lists.next();
      for (; !next.done; next = await lists.next())
        for (const part of next.value) {
          if (part.type !== 'text-delta' || part.delta === '') continue;
          hasStarted = true;
          yield { content: part.delta };
        }
      hasStarted = true;
      const { usage, finishReason } = next.value;
      yield { done: true, usage, finishReason };
    } catch (error) {
      if (!hasStarted) throw error;
      if (signal.aborted) return;
      if (!(error instanceof ModelError)) throw error;
      yield { error: error.message, code: error.failure.code };
    } finally {
      await lists.return(undefined as never);
    }
  }

  #fail(resolved: ResolvedModel, error: unknown, timeout: AbortSignal): ModelError {
    return modelError(failCall(this.#providers, resolved, error, { timeout, longestMs: this.#longestMs }));
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

const detailsOf = ({ prompt, maxOutputTokens, temperature }: CallRequest): CallDetails => ({
  maxTokens: maxOutputTokens,
  temperature,
  input: () => prompt,
});

const isCompleteEnd = ({ finishReason: { unified, raw } }: VendorEnd): boolean =>
  isComplete({ finishReason: unified, rawFinishReason: raw });
