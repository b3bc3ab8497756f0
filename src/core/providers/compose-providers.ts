import type { Feature } from '../lifecycle.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createModelFetch, type ModelFetch } from '../outbound/model-fetch.ts';
import { ModelCalls } from './model-calls.ts';
import { ModelProviders, type ModelProvidersDeps } from './model-providers.ts';
import { configuredOrigins } from './provider-connections.ts';

/** How models are called, where it differs from the defaults. */
export interface ModelOptions {
  /** Replaces the fetch that is passed to it. */
  fetch?: (usual: ModelFetch) => ModelFetch;
  /** How long an answer may be silent. */
  stallMs?: number;
  /** How long it may take. */
  longestMs?: number;
  /** How long an agent waits before it retries a step. */
  retryMs?: number;
}

export interface ProviderServices {
  modelProviders: ModelProviders;
  modelCalls: ModelCalls;
}

export interface ProviderDeps extends Omit<ModelProvidersDeps, 'fetch'> {
  models: ModelOptions;
  metrics: Metrics;
}

/** The model providers and single calls of their models. */
export function composeProviders({ models, ...deps }: ProviderDeps): Feature<ProviderServices> {
  const { config } = deps;
  const outbound = createModelFetch(
    () => config.get('outbound.allowPrivate'),
    () => configuredOrigins(config),
    models,
  );
  const { fetch = (usual) => usual } = models;
  const modelProviders = new ModelProviders({ ...deps, fetch: fetch(outbound.fetch) });
  return {
    services: {
      modelProviders,
      modelCalls: new ModelCalls({ ...models, providers: modelProviders, metrics: deps.metrics.models }),
    },
    lifecycle: { stop: () => outbound.close() },
  };
}
