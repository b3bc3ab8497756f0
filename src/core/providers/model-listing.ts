import type { Model, ModelProviderType } from '../../contract/providers.ts';
import { fetchFromProvider, VendorResponseError } from './fetch-from-provider.ts';
import { knownModels } from './known-models.ts';
import { readModels } from './model-answer.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { modelProviders } from './provider-list.ts';

const TIMEOUT_MS = 10_000;
const MAX_PAGES = 10;
const MAX_MODELS = 2000;

export interface ListedModels {
  models: Model[];
  /** `list` where the vendor has no list of models. */
  source: 'live' | 'list';
}

/** Lists the models of a provider: live, or from the dated list where the vendor has none. */
export class ModelListing {
  readonly #connections: ProviderConnections;
  readonly #pending = new Map<ModelProviderType, Promise<ListedModels>>();
  constructor(connections: ProviderConnections) {
    this.#connections = connections;
  }

  /** Lists the models; concurrent calls share one request. Rejects with the error of the request. */
  async of(type: ModelProviderType): Promise<ListedModels> {
    const request = this.#pending.get(type) ?? this.#fetch(type).finally(() => this.#pending.delete(type));
    this.#pending.set(type, request);
    return request;
  }

  async #fetch(type: ModelProviderType): Promise<ListedModels> {
    const connection = this.#connections.of(type);
    const provider = modelProviders[type];
    const { list } = provider;
    if (!list) return { models: listed(type), source: 'list' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const models = new Map<string, Model>();
    let path = list.path;
    for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page++) {
      const body = await fetchFromProvider(provider, connection, path, signal);
      const answer = readModels(type, body);
      if (!answer) throw new VendorResponseError(new Response(null), '');
      for (const model of answer.models) models.set(model.id, model);
      if (list.cursor === undefined || answer.next === undefined) break;
      path = `${list.path}&${list.cursor}=${encodeURIComponent(answer.next)}`;
    }
    return { models: [...models.values()].slice(0, MAX_MODELS), source: 'live' };
  }
}

/** The dated list, as models. */
export const listed = (provider: ModelProviderType): Model[] =>
  (knownModels[provider] ?? []).map((model) => ({ ...model, provider, name: model.id }));
