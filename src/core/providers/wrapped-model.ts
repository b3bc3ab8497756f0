import type { VendorModel } from './resolved-model.ts';

/** Wraps a model with replaced call functions. */
export const wrappedModel = (
  model: VendorModel,
  change: Partial<Pick<VendorModel, 'doGenerate' | 'doStream'>>,
): VendorModel => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(options),
  doStream: (options) => model.doStream(options),
  ...change,
});
