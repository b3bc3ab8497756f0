import type { ProviderName } from '../../contract/providers.ts';
import { displayName } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import { requestCancelled } from './call-failure.ts';
import { embeddingBackendOf } from './embedding-backends.ts';
import { modelError } from './model-error.ts';
import type { ModelProviders } from './model-providers.ts';

/** The time limit of one request to a provider. */
const MAX_REQUEST_MS = 2 * 60_000;

/** A text, or the tokens of one. */
export type EmbeddingInput = string | readonly number[];

export interface EmbeddingOrder {
  provider: ProviderName;
  modelId: string;
  inputs: readonly EmbeddingInput[];
  /** The length of the vectors; that of the model unless given. */
  dimensions?: number | undefined;
}
export interface Embeddings {
  /** In the order of the inputs. */
  vectors: number[][];
  /** Undefined where the provider does not report it. */
  tokens: number | undefined;
}

/** Computes embeddings with any provider. Every failure is an `AppError` and counts for the circuit breaker of the provider. */
export class EmbeddingCalls {
  readonly #providers: Pick<ModelProviders, 'embeddingModel' | 'toFailure' | 'succeeded' | 'failed'>;
  constructor(providers: Pick<ModelProviders, 'embeddingModel' | 'toFailure' | 'succeeded' | 'failed'>) {
    this.#providers = providers;
  }

  async embed(
    { provider, modelId, inputs, dimensions }: EmbeddingOrder,
    signal: AbortSignal,
  ): Promise<Embeddings> {
    const model = await this.#providers.embeddingModel(provider, modelId);
    const backend = embeddingBackendOf(provider);
    const { batch = 1, options, dimensions: optionsFor } = backend ?? {};
    if (dimensions !== undefined && !optionsFor) {
      const message = `The length of the vectors of ${provider} cannot be chosen`;
      throw new AppError('validation', message, { details: [{ path: 'dimensions', message }] });
    }
    if (!backend?.takesTokens && inputs.some((input) => typeof input !== 'string')) {
      const message = `${displayName(provider)} takes no lists of tokens; send the texts`;
      throw new AppError('validation', message, { details: [{ path: 'input', message }] });
    }
    const use = options?.('document');
    const length = dimensions === undefined ? undefined : optionsFor?.(dimensions);
    const vectors: number[][] = [];
    let tokens: number | undefined = 0;
    for (let start = 0; start < inputs.length; start += batch) {
      const values = inputs.slice(start, start + batch);
      const timeout = AbortSignal.timeout(MAX_REQUEST_MS);
      try {
        const { embeddings, usage } = await model.doEmbed({
          // The packages of those that take tokens send each input as it is.
          values: values as string[],
          abortSignal: AbortSignal.any([signal, timeout]),
          providerOptions: mergeOptions(use, length),
        });
        this.#providers.succeeded(provider, 'embeddings');
        vectors.push(...embeddings);
        tokens = usage && tokens !== undefined ? tokens + usage.tokens : undefined;
      } catch (error) {
        if (signal.aborted) throw requestCancelled();
        const texts = values.filter((value) => typeof value === 'string');
        const failure = this.#providers.toFailure(provider, timeout.aborted ? timeout.reason : error, texts);
        this.#providers.failed(provider, failure, 'embeddings');
        throw modelError(failure);
      }
    }
    return { vectors, tokens };
  }
}

type Options = Record<string, Record<string, string | number>>;

function mergeOptions(...all: (Options | undefined)[]): Options {
  const merged: Options = {};
  for (const options of all)
    for (const [name, values] of Object.entries(options ?? {})) merged[name] = { ...merged[name], ...values };
  return merged;
}
