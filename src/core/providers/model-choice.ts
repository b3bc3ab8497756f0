import type { ProviderName } from '../../contract/providers.ts';
import type { Config } from '../config/config.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { notConfigured } from './not-configured.ts';
import { definitionOf } from './provider-list.ts';
import { unknownProvider } from './unknown-provider.ts';

export interface ModelRequest {
  provider?: ProviderName | undefined;
  /** A model of the provider, or `provider/model`. */
  model?: string | undefined;
}

/** The provider for requests that name none: the configured default, else the first usable one. */
export const defaultProvider = (config: Config, connections: ProviderConnections): ProviderName | undefined =>
  config.get('chat.defaultProvider') ?? connections.usable()[0];

/** The provider and model of a request; the model is undefined where the provider has no default. */
export function chooseModel(
  { provider, model }: ModelRequest,
  config: Config,
  connections: ProviderConnections,
): { provider: ProviderName; modelId: string | undefined } {
  const slash = model?.indexOf('/') ?? -1;
  const prefix = slash > 0 ? model?.slice(0, slash) : undefined;
  const choose = (type: ProviderName, id: string | undefined) => ({
    provider: type,
    modelId: withoutProvider(type, id) ?? withoutProvider(type, defaultModel(type, config, connections)),
  });
  if (provider !== undefined) {
    connections.require(provider);
    return choose(provider, model);
  }
  const names = connections.names();
  const named = names.find((name) => name === prefix);
  if (named !== undefined) return choose(named, model?.slice(slash + 1));
  const fallback = defaultProvider(config, connections);
  if (prefix !== undefined && !(fallback !== undefined && definitionOf(fallback).hasSlashesInIds))
    throw unknownProvider(prefix, names, { path: 'model' });
  if (fallback === undefined)
    throw notConfigured('No model provider is configured. Configure one: svc providers configure openai');
  return choose(fallback, model);
}

/** The model id without the provider prefix; undefined where nothing is left. */
export const withoutProvider = (type: ProviderName, id = ''): string | undefined =>
  (!definitionOf(type).hasSlashesInIds && id.startsWith(`${type}/`) ? id.slice(type.length + 1) : id) ||
  undefined;

function defaultModel(
  provider: ProviderName,
  config: Config,
  connections: ProviderConnections,
): string | undefined {
  const chosen =
    provider === defaultProvider(config, connections) ? config.get('chat.defaultModel') : undefined;
  return chosen ?? connections.defaultModel(provider) ?? definitionOf(provider).defaultModel;
}
