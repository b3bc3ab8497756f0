import type { EmbeddingModel, LanguageModel } from 'ai';
import type { ProviderName } from '../../contract/providers.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import type { ModelPrice } from './model-prices.ts';
import type { FailureClass } from '../../contract/task.ts';

/** A model of a vendor package, in the interface version that all packages share. */
export type VendorModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;

/** A part of a streamed answer, as the packages make it. */
export type AnswerPart =
  Awaited<ReturnType<VendorModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** An embedding model of a vendor package. */
export type VendorEmbeddingModel = Extract<EmbeddingModel, { specificationVersion: 'v4' }>;

/** A model that can be called now. */
export interface ResolvedModel {
  provider: ProviderName;
  /** The id that the vendor uses. */
  modelId: string;
  model: VendorModel;
  /** In tokens; undefined where it is unknown. */
  contextWindow: number | undefined;
  /** What its calls cost; absent where that is unknown. */
  price?: ModelPrice | undefined;
  /** For whom it is called, so that the ledger says so; absent where it counts for no user. */
  usedBy?: UsedBy | undefined;
  /** True only where it is known to be supported. */
  supportsReasoning: boolean;
}

/** The classified failure of a model call; never contains a key or a prompt. */
export interface ModelFailure {
  class: FailureClass;
  /** Short and stable, such as `rate_limited`. */
  code: string;
  message: string;
  retryAfterMs: number | undefined;
}
