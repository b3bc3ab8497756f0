import type { SearchProviderId } from '../../contract/integrations.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { SearchConnection } from './search-provider.ts';
import { searchProviderIds, searchProviders } from './search-provider-list.ts';

/** The connection of each search provider; reads the settings on every call, so that changes apply immediately. */
export class SearchConnections {
  readonly #config: Config;
  readonly #outbound: Pick<Outbound, 'check'>;
  constructor(config: Config, outbound: Pick<Outbound, 'check'>) {
    this.#config = config;
    this.#outbound = outbound;
  }

  key(id: SearchProviderId): string | undefined {
    const key = this.#config.secret(`integrations.webSearch.${id}.apiKey`);
    // Other characters are invalid in a header, and the error would contain the key.
    return key !== undefined && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
  }

  baseUrl(id: SearchProviderId): string | undefined {
    const setting = this.#config.get(`integrations.webSearch.${id}.baseUrl`);
    return setting === undefined ? undefined : trimSlashes(setting);
  }

  /** The provider to use: the configured one, or else the first whose settings are complete. */
  provider(): SearchProviderId | undefined {
    const configured = this.#config.get('integrations.webSearch.provider');
    return configured ?? searchProviderIds.find((id) => this.#missing(id) === undefined);
  }

  /** Why web search is not available and how to fix it, as a sentence; undefined if it is available. */
  unavailable(): string | undefined {
    if (!this.#config.get('integrations.webSearch.enabled'))
      return 'Web search is disabled: svc config set integrations.webSearch.enabled true';
    const id = this.provider();
    if (id === undefined)
      return 'Web search is not configured: svc config set integrations.webSearch.brave.apiKey (or serper, tavily; or integrations.webSearch.searxng.baseUrl)';
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
    return this.baseUrl(id) === undefined ? `${name} needs its URL: svc config set ${key} URL` : undefined;
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
