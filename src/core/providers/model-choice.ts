import { type ModelProviderType, modelProviderTypeSchema } from '../../contract/providers.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { modelProviders, providerTypes } from './provider-list.ts';

export interface ModelRequest {
  provider?: ModelProviderType | undefined;
  /** A model of the provider, or `provider/model`. */
  model?: string | undefined;
}

/** The provider for requests that name none: the configured default, else the first usable one. */
export const defaultProvider = (
  config: Config,
  connections: ProviderConnections,
): ModelProviderType | undefined => config.get('chat.defaultProvider') ?? connections.usable()[0];

/** The provider and model of a request; the model is undefined where the provider has no default. */
export function chooseModel(
  { provider, model }: ModelRequest,
  config: Config,
  connections: ProviderConnections,
): { provider: ModelProviderType; modelId: string | undefined } {
  const slash = model?.indexOf('/') ?? -1;
  const prefix = slash > 0 ? model?.slice(0, slash) : undefined;
  const choose = (type: ModelProviderType, id: string | undefined) => ({
    provider: type,
    modelId: withoutProvider(type, id) ?? withoutProvider(type, defaultModel(type, config, connections)),
  });
  if (provider) return choose(provider, model);
  const named = safeParse(modelProviderTypeSchema, prefix).data;
  if (named) return choose(named, model?.slice(slash + 1));
  const fallback = defaultProvider(config, connections);
  if (prefix !== undefined && !(fallback && modelProviders[fallback].hasSlashesInIds))
    throw new AppError(
      'validation',
      `There is no model provider "${prefix.slice(0, 50)}". There are: ${providerTypes.join(', ')}.`,
    );
  if (!fallback)
    throw new AppError(
      'unavailable',
      'No model provider is configured. Configure one: svc providers configure openai',
    );
  return choose(fallback, model);
}

/** The model id without the provider prefix; undefined where nothing is left. */
export const withoutProvider = (type: ModelProviderType, id = ''): string | undefined =>
  (!modelProviders[type].hasSlashesInIds && id.startsWith(`${type}/`) ? id.slice(type.length + 1) : id) ||
  undefined;

function defaultModel(
  provider: ModelProviderType,
  config: Config,
  connections: ProviderConnections,
): string | undefined {
  const chosen =
    provider === defaultProvider(config, connections) ? config.get('chat.defaultModel') : undefined;
  return chosen ?? config.get(`providers.${provider}.defaultModel`) ?? modelProviders[provider].defaultModel;
}
