import type { ProviderType } from '../../../contract/providers.ts';
import type { ModelProviders } from '../../chat/providers/model-providers.ts';
import type { Config } from '../../config/config.ts';

/** The model that the settings choose. */
export interface EmbeddingChoice {
  provider: ProviderType;
  modelId: string;
  /** Both, as `provider/model`: what vectors are kept under. */
  name: string;
}

export interface EmbedderParts {
  config: Config;
  providers: ModelProviders;
}

/** A query as a vector, or the reason why there is none. */
export type EmbeddedQuery = { vector: { model: string; values: Float32Array } } | { reason: string };

/** Texts as vectors, made by the provider that the settings choose. */
export class Embedder {
  readonly #parts: EmbedderParts;
  constructor(parts: EmbedderParts) {
    this.#parts = parts;
  }

  /** undefined where the settings choose none: then nothing is sent to anybody. */
  choice(): EmbeddingChoice | undefined {
    void this.#parts;
    return undefined;
  }

  /** Never throws: a search goes on by keywords. undefined where the settings choose no provider. */
  async embedQuery(_text: string): Promise<EmbeddedQuery | undefined> {
    return undefined;
  }

  /** In the order of the texts. Throws an `AppError` that says what is wrong. */
  async embedTexts(
    _choice: EmbeddingChoice,
    _texts: string[],
    _signal: AbortSignal,
  ): Promise<Float32Array[]> {
    return [];
  }
}
