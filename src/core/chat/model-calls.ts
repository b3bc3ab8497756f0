import type { CompletionChunk, FinishReason, TokenUsage } from '../../contract/chat.ts';
import { BrokenOff, failCall, LONGEST_CALL_MS, nobodyWaits } from './call-failure.ts';
import { finishReasonOf, isWhole } from './finish-reason.ts';
import { loadSdk } from './load-sdk.ts';
import { modelError } from './model-error.ts';
import type { Prompt } from './prompt.ts';
import type { ModelProviders } from './providers/model-providers.ts';
import type { ModelFailure, ResolvedModel } from './providers/resolved-model.ts';
import { toTokenUsage } from './token-usage.ts';

export interface CallOptions {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** Aborts the call when nobody waits for its answer any more. */
  signal: AbortSignal;
}

export interface ModelAnswer {
  content: string;
  finishReason: FinishReason;
  usage: TokenUsage;
}

export interface ModelCallsParts {
  providers: Pick<ModelProviders, 'toFailure' | 'succeeded' | 'failed'>;
  /** How long a call may take, five minutes unless given. */
  longestMs?: number;
}

/** Asks models for text. Every failure is an `AppError`, and the provider's breaker hears of it. */
export class ModelCalls {
  readonly #providers: ModelCallsParts['providers'];
  readonly #longestMs: number;

  constructor({ providers, longestMs = LONGEST_CALL_MS }: ModelCallsParts) {
    this.#providers = providers;
    this.#longestMs = longestMs;
  }

  async ask(resolved: ResolvedModel, prompt: Prompt, options: CallOptions): Promise<ModelAnswer> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    try {
      const { generateText } = await loadSdk();
      const abortSignal = AbortSignal.any([options.signal, timeout]);
      const result = await generateText(settings(resolved, prompt, options, abortSignal));
      this.#providers.succeeded(resolved.provider);
      return {
        content: result.text,
        finishReason: finishReasonOf(result.finishReason),
        usage: toTokenUsage(result.totalUsage),
      };
    } catch (error) {
      if (options.signal.aborted) throw nobodyWaits();
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
    let hasBegun = false;
    try {
      const { streamText } = await loadSdk();
      const abortSignal = AbortSignal.any([options.signal, timeout, left.signal]);
      const { stream } = streamText({
        ...settings(resolved, prompt, options, abortSignal),
        // It comes as a part of the stream too; without this it would also be printed.
        onError: () => undefined,
      });
      for await (const part of stream) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'text-delta' && part.text !== '') {
          hasBegun = true;
          yield { content: part.text };
        }
        if (part.type === 'finish' && isWhole(part)) {
          this.#providers.succeeded(resolved.provider);
          hasBegun = true;
          yield {
            done: true,
            usage: toTokenUsage(part.totalUsage),
            finishReason: finishReasonOf(part.finishReason),
          };
          return;
        }
      }
      throw new BrokenOff();
    } catch (error) {
      if (options.signal.aborted) {
        if (hasBegun) return;
        throw nobodyWaits();
      }
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

const settings = (
  { model }: ResolvedModel,
  { instructions, turns }: Prompt,
  { temperature, maxTokens }: CallOptions,
  abortSignal: AbortSignal,
) => ({
  model,
  messages: turns,
  abortSignal,
  // Who asks hears at once that it failed, and when to try again.
  maxRetries: 0,
  ...(instructions !== '' && { instructions }),
  ...(temperature !== undefined && { temperature }),
  ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
});

async function* resume<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
