import type { Feature } from '../lifecycle.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createModelFetch, type ModelFetch } from '../outbound/model-fetch.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { CallCounts } from './call-counts.ts';
import { ModelCalls } from './model-calls.ts';
import { ModelProviders, type ModelProvidersDeps } from './model-providers.ts';
import { configuredOrigins } from './provider-connections.ts';

/** Overrides of how models are called. */
export interface ModelOptions {
  /** Wraps or replaces the default fetch. */
  fetch?: (fetch: ModelFetch) => ModelFetch;
  /** How long an answer may pause between pieces. */
  stallMs?: number;
  /** How long an answer may take. */
  longestMs?: number;
  /** The delay before an agent retries a step. */
  retryMs?: number;
}

export interface ProviderServices {
  modelProviders: ModelProviders;
  modelCalls: ModelCalls;
  callCounts: CallCounts;
}

export interface ProviderDeps extends Omit<ModelProvidersDeps, 'fetch'> {
  models: ModelOptions;
  metrics: Metrics;
  usage: UsageLedger;
}

/** Composes the model providers and the calls of their models. */
export function composeProviders({ models, ...deps }: ProviderDeps): Feature<ProviderServices> {
  const { config } = deps;
  const outbound = createModelFetch(
    () => config.get('outbound.allowPrivate'),
    config.derive(() => configuredOrigins(config)),
    models,
  );
  const { fetch = (base) => base } = models;
  const modelProviders = new ModelProviders({ ...deps, fetch: fetch(outbound.fetch) });
  const callCounts = new CallCounts({ metrics: deps.metrics.models, usage: deps.usage });
  return {
    services: {
      modelProviders,
      callCounts,
      modelCalls: new ModelCalls({ ...models, providers: modelProviders, counts: callCounts }),
    },
    lifecycle: {
      async start() {
        for (const refused of modelProviders.refusedUrls())
          deps.log.warn(refused, 'the base URL of a model provider is not allowed');
      },
      stop: () => outbound.close(),
    },
  };
}
