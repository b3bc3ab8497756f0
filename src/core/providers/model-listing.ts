import type { Model, ModelProviderType } from '../../contract/providers.ts';
import { askProvider, VendorRefusal } from './ask-provider.ts';
import { knownModels } from './known-models.ts';
import { readModels } from './model-answer.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { modelProviders } from './provider-list.ts';

const TIMEOUT_MS = 10_000;
const MAX_PAGES = 10;
const MAX_MODELS = 2000;

export interface ListedModels {
  models: Model[];
  /** `list` where the vendor tells nobody. */
  source: 'live' | 'list';
}

/** Which models a provider has: asked each time, and the dated list for those that cannot be asked. */
export class ModelListing {
  readonly #connections: ProviderConnections;
  readonly #flights = new Map<ModelProviderType, Promise<ListedModels>>();
  constructor(connections: ProviderConnections) {
    this.#connections = connections;
  }

  /** Many may ask at once: the vendor is asked once. Rejects with whatever went wrong. */
  async of(type: ModelProviderType): Promise<ListedModels> {
    const flight = this.#flights.get(type) ?? this.#ask(type).finally(() => this.#flights.delete(type));
    this.#flights.set(type, flight);
    return flight;
  }

  async #ask(type: ModelProviderType): Promise<ListedModels> {
    const connection = this.#connections.of(type);
    const provider = modelProviders[type];
    const { list } = provider;
    if (!list) return { models: listed(type), source: 'list' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const models = new Map<string, Model>();
    let path = list.path;
    for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page++) {
      const body = await askProvider(provider, connection, path, signal);
      const answer = readModels(type, body);
      if (!answer) throw new VendorRefusal(new Response(null), '');
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
