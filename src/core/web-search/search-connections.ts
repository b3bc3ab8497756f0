import type { SearchProviderId } from '../../contract/integrations.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { SearchConnection } from './search-provider.ts';
import { searchProviderIds, searchProviders } from './search-provider-list.ts';

/** How each search provider is reached; reads the settings anew, so that a change counts at once. */
export class SearchConnections {
  readonly #config: Config;
  readonly #outbound: Pick<Outbound, 'check'>;
  constructor(config: Config, outbound: Pick<Outbound, 'check'>) {
    this.#config = config;
    this.#outbound = outbound;
  }

  key(id: SearchProviderId): string | undefined {
    const key = this.#config.secret(`integrations.webSearch.${id}.apiKey`);
    // Anything else cannot be a header; the error of it would hold the key.
    return key !== undefined && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
  }

  baseUrl(id: SearchProviderId): string | undefined {
    return this.#config.get(`integrations.webSearch.${id}.baseUrl`)?.replace(/\/+$/, '');
  }

  /** Who is asked: the one that was chosen, or else the first that has what it needs. */
  chosen(): SearchProviderId | undefined {
    const chosen = this.#config.get('integrations.webSearch.provider');
    return chosen ?? searchProviderIds.find((id) => this.#missing(id) === undefined);
  }

  /** Why nobody can be asked, and what to do, as a sentence; undefined where somebody can. */
  unavailable(): string | undefined {
    if (!this.#config.get('integrations.webSearch.enabled'))
      return 'Web search is turned off: svc config set integrations.webSearch.enabled true';
    const id = this.chosen();
    if (id === undefined)
      return 'Nobody has set up web search: svc config set integrations.webSearch.brave.apiKey (or serper, tavily; or integrations.webSearch.searxng.baseUrl)';
    return this.#missing(id) ?? this.#refused(id);
  }

  of(id: SearchProviderId): SearchConnection {
    return { baseUrl: this.baseUrl(id) ?? '', apiKey: this.key(id) };
  }

  #missing(id: SearchProviderId): string | undefined {
    const { name, needs } = searchProviders[id];
    const key = `integrations.webSearch.${id}.${needs}`;
    if (needs === 'apiKey')
      return this.key(id) === undefined ? `${name} needs a key: svc config set ${key}` : undefined;
    return this.baseUrl(id) === undefined
      ? `${name} needs its address: svc config set ${key} URL`
      : undefined;
  }

  #refused(id: SearchProviderId): string | undefined {
    try {
      this.#outbound.check(this.baseUrl(id) ?? '');
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }
}
