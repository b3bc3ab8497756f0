import type { EmbeddingModel, LanguageModel } from 'ai';
import type { ModelProviderType } from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';

/** A model as the package of its vendor gives it, in the one version of the interface that they all have. */
export type VendorModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;

/** A model that makes vectors of texts, likewise. */
export type VendorEmbeddingModel = Extract<EmbeddingModel, { specificationVersion: 'v4' }>;

/** A model that can be asked now. */
export interface ResolvedModel {
  provider: ModelProviderType;
  /** As the vendor names it. */
  modelId: string;
  model: VendorModel;
  /** Tokens; undefined where nobody says. */
  contextWindow: number | undefined;
  /** True only where that is known. */
  supportsReasoning: boolean;
}

/** What went wrong with a model, in our words; never with a key or a prompt in it. */
export interface ModelFailure {
  class: FailureClass;
  /** Short and stable, such as `rate_limited`. */
  code: string;
  message: string;
  retryAfterMs: number | undefined;
}
