import type { Model, ProviderName } from '../../contract/providers.ts';
import { fetchFromProvider, VendorResponseError } from './fetch-from-provider.ts';
import { knownModelsOf } from './known-models.ts';
import { type ModelPage, readModels } from './model-answer.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { definitionOf } from './provider-list.ts';

const TIMEOUT_MS = 10_000;
const MAX_PAGES = 10;
const MAX_MODELS = 2000;

export interface ListedModels extends Omit<ModelPage, 'next'> {
  /** `list` where the vendor has no list of models. */
  source: 'live' | 'list';
}

/** Lists the models of a provider: live, or from the dated list where the vendor has none. */
export class ModelListing {
  readonly #connections: ProviderConnections;
  readonly #monotonic: () => number;
  readonly #pending = new Map<ProviderName, Promise<ListedModels>>();
  readonly #last = new Map<ProviderName, { listed: ListedModels; at: number }>();
  constructor(connections: ProviderConnections, monotonic: () => number) {
    this.#connections = connections;
    this.#monotonic = monotonic;
  }

  /** Lists the models; concurrent calls share one request. Rejects with the error of the request. */
  async of(name: ProviderName): Promise<ListedModels> {
    const known = this.#pending.get(name);
    if (known) return known;
    const request = this.#fetch(name);
    this.#pending.set(name, request);
    try {
      const listed = await request;
      // A list from before a change of settings is discarded.
      if (this.#pending.get(name) === request) this.#last.set(name, { listed, at: this.#monotonic() });
      return listed;
    } finally {
      if (this.#pending.get(name) === request) this.#pending.delete(name);
    }
  }

  /** The last list where it is at most so old; undefined where there is none. */
  recent(name: ProviderName, maxAgeMs: number): ListedModels | undefined {
    const last = this.#last.get(name);
    return last && this.#monotonic() - last.at <= maxAgeMs ? last.listed : undefined;
  }

  forget(name: ProviderName): void {
    this.#last.delete(name);
    this.#pending.delete(name);
  }

  async #fetch(name: ProviderName): Promise<ListedModels> {
    const connection = this.#connections.of(name);
    const provider = definitionOf(name);
    const { list } = provider;
    if (!list) {
      const models = listed(name);
      return { models, ids: models.map(({ id }) => id), isOpen: true, source: 'list' };
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const models = new Map<string, Model>();
    const ids = new Set<string>();
    let isOpen = false;
    let path = list.path;
    for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page++) {
      const body = await fetchFromProvider(provider, connection, path, signal);
      const answer = readModels(name, body);
      if (!answer) throw new VendorResponseError(new Response(null), '');
      for (const model of answer.models) models.set(model.id, model);
      for (const id of answer.ids) ids.add(id);
      isOpen ||= answer.isOpen;
      if (list.cursor === undefined || answer.next === undefined) break;
      path = `${list.path}&${list.cursor}=${encodeURIComponent(answer.next)}`;
    }
    return { models: [...models.values()].slice(0, MAX_MODELS), ids: [...ids], isOpen, source: 'live' };
  }
}

/** The dated list, as models. */
export const listed = (provider: ProviderName): Model[] =>
  knownModelsOf(provider).map((model) => ({ ...model, provider, name: model.id }));
