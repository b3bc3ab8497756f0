import type { ModelProviders } from '../../providers/model-providers.ts';
import { withoutProvider } from '../../providers/model-choice.ts';
import { embeddingOffers, type EmbeddingUse } from '../../providers/embedding-offers.ts';
import type { ModelFailure } from '../../providers/resolved-model.ts';
import type { Config } from '../../config/config.ts';
import type { EmbeddingProvider } from '../../config/memory-settings.ts';
import { providerNames } from '../../config/provider-settings.ts';
import { AppError } from '../../errors.ts';
import { EmbeddingError } from './embedding-error.ts';
import { QueryCache } from './query-cache.ts';
import { TextLimits } from './text-limits.ts';
import { toVectors, UnfitVectors } from './to-vectors.ts';

/** Somebody waits for the search, and it can do without. */
const QUERY_MS = 3000;
/** A batch, on a machine that is slow. */
const TEXTS_MS = 2 * 60_000;

/** The model that the settings choose. */
export interface EmbeddingChoice {
  provider: EmbeddingProvider;
  modelId: string;
  /** Both, as `provider/model`: what vectors are kept under. */
  name: string;
}

export interface EmbedderDeps {
  config: Config;
  providers: Pick<ModelProviders, 'embeddingModel' | 'toFailure' | 'succeeded' | 'failed'>;
  /** How long a query may take, a few seconds unless given. */
  queryMs?: number;
  /** How long a batch of texts may take. */
  textsMs?: number;
}

/** A query as a vector, or the reason why there is none. */
export type EmbeddedQuery = { vector: { model: string; values: Float32Array } } | { reason: string };

/** Texts as vectors, made by the provider that the settings choose. */
export class Embedder {
  readonly #deps: EmbedderDeps;
  readonly #queries = new QueryCache();
  readonly #limits = new TextLimits();

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  /** undefined where the settings choose none: then nothing is sent to anybody. */
  choice(): EmbeddingChoice | undefined {
    const { config } = this.#deps;
    const provider = config.get('memory.embedding.provider');
    if (!provider) return undefined;
    const modelId =
      withoutProvider(provider, config.get('memory.embedding.model')) ?? embeddingOffers[provider].usualModel;
    return modelId === undefined ? undefined : { provider, modelId, name: `${provider}/${modelId}` };
  }

  /** Why there is no choice although a provider is set; undefined otherwise. */
  configurationError(): string | undefined {
    const provider = this.#deps.config.get('memory.embedding.provider');
    if (!provider || this.choice()) return undefined;
    return `${providerNames[provider]} has no usual model for embeddings: svc config set memory.embedding.model <name>`;
  }

  /** How many texts go into a request to the provider, and how many requests it takes at a time. */
  batching({ provider }: EmbeddingChoice): { batch: number; parallel: number } {
    return embeddingOffers[provider];
  }

  /** Never throws: a search goes on by keywords. undefined where the settings choose no provider. */
  async embedQuery(text: string): Promise<EmbeddedQuery | undefined> {
    const choice = this.choice();
    if (!choice) {
      const missing = this.configurationError();
      return missing === undefined ? undefined : { reason: byKeywords(missing) };
    }
    if (text.trim() === '') return { reason: byKeywords('the query is blank') };
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
      return { reason: byKeywords(message) };
    }
  }

  /** In the order of the texts, of which none may be blank. Throws an `AppError` that says what is wrong. */
  async embedTexts(choice: EmbeddingChoice, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { batch } = this.batching(choice);
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batch) {
      const timeout = AbortSignal.timeout(this.#deps.textsMs ?? TEXTS_MS);
      const either = AbortSignal.any([signal, timeout]);
      vectors.push(...(await this.#embed(choice, texts.slice(start, start + batch), 'document', either)));
    }
    return vectors;
  }

  /** The settings say something new of the providers: what was learned of them may be wrong. */
  reset(): void {
    this.#queries.clear();
    this.#limits.clear();
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
    const providerOptions = embeddingOffers[provider].options?.(use);
    const values = texts.map((text) => this.#limits.cut(name, text));
    try {
      const { embeddings } = await model.doEmbed({
        values,
        abortSignal,
        ...(providerOptions && { providerOptions }),
      });
      const vectors = toVectors(embeddings, texts.length);
      providers.succeeded(provider, 'embeddings');
      return vectors;
    } catch (error) {
      const failure = this.#toFailure(choice, abortSignal.aborted ? abortSignal.reason : error, values);
      const [only] = values;
      const isAlone = only !== undefined && values.length === 1;
      if (isAlone && failure.code === 'context_too_long' && this.#limits.wasTooLong(name, only))
        return this.#embed(choice, texts, use, abortSignal);
      if (failure.class !== 'cancelled') providers.failed(provider, failure, 'embeddings');
      throw new EmbeddingError(failure);
    }
  }

  #toFailure({ provider }: EmbeddingChoice, error: unknown, texts: readonly string[]): ModelFailure {
    if (!(error instanceof UnfitVectors)) return this.#deps.providers.toFailure(provider, error, texts);
    return {
      class: 'agent_error',
      code: 'bad_answer',
      message: `${providerNames[provider]} ${error.message}`,
      retryAfterMs: undefined,
    };
  }
}

/** Why a search went without vectors. */
export const byKeywords = (why: string): string => `Searched by keywords only: ${why}`;
