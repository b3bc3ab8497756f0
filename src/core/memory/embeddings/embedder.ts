import type { ModelProviders } from '../../providers/model-providers.ts';
import { withoutProvider } from '../../providers/model-choice.ts';
import { embeddingBackends, type EmbeddingUse } from '../../providers/embedding-backends.ts';
import type { ModelFailure } from '../../providers/resolved-model.ts';
import type { Config } from '../../config/config.ts';
import type { EmbeddingProvider } from '../../config/memory-settings.ts';
import { displayName } from '../../config/provider-settings.ts';
import { AppError } from '../../errors.ts';
import { costOfCall } from '../../providers/model-prices.ts';
import type { UsageLedger } from '../../usage/usage-ledger.ts';
import { EmbeddingError } from './embedding-error.ts';
import { QueryCache } from './query-cache.ts';
import { TextLimits } from './text-limits.ts';
import { toVectors, InvalidVectors } from './to-vectors.ts';

/** A user waits for the search, which works without a vector. */
const QUERY_MS = 3000;
/** For a batch on a slow machine. */
const TEXTS_MS = 2 * 60_000;

/** The configured model. */
export interface EmbeddingChoice {
  provider: EmbeddingProvider;
  modelId: string;
  /** `provider/model`: the key that vectors are stored under. */
  name: string;
}

export interface EmbedderDeps {
  config: Config;
  providers: Pick<ModelProviders, 'embeddingModel' | 'toFailure' | 'succeeded' | 'failed' | 'priceOf'>;
  usage: Pick<UsageLedger, 'record'>;
  /** Timeout for a query; a few seconds by default. */
  queryMs?: number;
  /** Timeout for a batch of texts. */
  textsMs?: number;
}

/** A query as a vector, or why there is none. */
export type EmbeddedQuery = { vector: { model: string; values: Float32Array } } | { reason: string };

/** Computes vectors of texts with the configured provider. */
export class Embedder {
  readonly #deps: EmbedderDeps;
  readonly #queries = new QueryCache();
  readonly #limits = new TextLimits();

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  /** undefined when no provider is configured; then nothing is sent. */
  choice(): EmbeddingChoice | undefined {
    const { config } = this.#deps;
    const provider = config.get('memory.embedding.provider');
    if (!provider) return undefined;
    const modelId =
      withoutProvider(provider, config.get('memory.embedding.model')) ??
      embeddingBackends[provider].defaultModel;
    return modelId === undefined ? undefined : { provider, modelId, name: `${provider}/${modelId}` };
  }

  /** Why a configured provider cannot be used; undefined otherwise. */
  configurationError(): string | undefined {
    const provider = this.#deps.config.get('memory.embedding.provider');
    if (!provider || this.choice()) return undefined;
    return `${displayName(provider)} has no default embedding model: svc config set memory.embedding.model <name>`;
  }

  /** The number of texts per request and of parallel requests that the provider accepts. */
  batching({ provider }: EmbeddingChoice): { batch: number; parallel: number } {
    return embeddingBackends[provider];
  }

  /** Never throws: the search falls back to keywords. undefined when no provider is configured. */
  async embedQuery(text: string): Promise<EmbeddedQuery | undefined> {
    const choice = this.choice();
    if (!choice) {
      const missing = this.configurationError();
      return missing === undefined ? undefined : { reason: keywordFallback(missing) };
    }
    if (text.trim() === '') return { reason: keywordFallback('the query is blank') };
    const model = choice.name;
    const known = this.#queries.get(model, text);
    if (known) return { vector: { model, values: known } };
    try {
      const timeout = AbortSignal.timeout(this.#deps.queryMs ?? QUERY_MS);
      const [values] = await this.#embed(choice, [text], 'query', timeout);
      if (!values) throw new TypeError('A text without a vector');
      this.#queries.set(model, text, values);
      return { vector: { model, values } };
    } catch (error) {
      const { message } =
        error instanceof AppError ? error : this.#deps.providers.toFailure(choice.provider, error, [text]);
      return { reason: keywordFallback(message) };
    }
  }

  /** Returns vectors in the order of the texts, none of which may be blank. Throws an `AppError`. */
  async embedTexts(choice: EmbeddingChoice, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { batch } = this.batching(choice);
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batch) {
      const timeout = AbortSignal.timeout(this.#deps.textsMs ?? TEXTS_MS);
      const combined = AbortSignal.any([signal, timeout]);
      vectors.push(...(await this.#embed(choice, texts.slice(start, start + batch), 'document', combined)));
    }
    return vectors;
  }

  /** Discards cached vectors and learned limits after the provider settings changed. */
  reset(): void {
    this.#queries.clear();
    this.#limits.clear();
  }

  /** The memory belongs to no user. */
  #record({ provider, modelId }: EmbeddingChoice, tokens: number | undefined): void {
    const price = this.#deps.providers.priceOf({ provider, modelId });
    this.#deps.usage.record({
      usedBy: { userId: '' },
      provider,
      model: modelId,
      inputTokens: tokens ?? 0,
      outputTokens: 0,
      costUsd: price && tokens !== undefined ? costOfCall(price, { prompt: tokens, answer: 0 }) : undefined,
    });
  }

  async #embed(
    choice: EmbeddingChoice,
    texts: string[],
    use: EmbeddingUse,
    abortSignal: AbortSignal,
  ): Promise<Float32Array[]> {
    const { provider, modelId, name } = choice;
    const { providers } = this.#deps;
    const model = await providers.embeddingModel(provider, modelId);
    const providerOptions = embeddingBackends[provider].options?.(use);
    const values = texts.map((text) => this.#limits.cut(name, text));
    try {
      const { embeddings, usage } = await model.doEmbed({
        values,
        abortSignal,
        ...(providerOptions && { providerOptions }),
      });
      const vectors = toVectors(embeddings, texts.length);
      providers.succeeded(provider, 'embeddings');
      this.#record(choice, usage?.tokens);
      return vectors;
    } catch (error) {
      const failure = this.#toFailure(choice, abortSignal.aborted ? abortSignal.reason : error, values);
      const [only] = values;
      const isAlone = only !== undefined && values.length === 1;
      if (isAlone && failure.code === 'context_too_long' && this.#limits.recordTooLong(name, only))
        return this.#embed(choice, texts, use, abortSignal);
      if (failure.class !== 'cancelled') providers.failed(provider, failure, 'embeddings');
      throw new EmbeddingError(failure);
    }
  }

  #toFailure({ provider }: EmbeddingChoice, error: unknown, texts: readonly string[]): ModelFailure {
    if (!(error instanceof InvalidVectors)) return this.#deps.providers.toFailure(provider, error, texts);
    return {
      class: 'agent_error',
      code: 'bad_answer',
      message: `${displayName(provider)} ${error.message}`,
      retryAfterMs: undefined,
    };
  }
}

/** The reason shown for a search without vectors. */
export const keywordFallback = (why: string): string => `Searched by keywords only: ${why}`;
