import type { ConfigureWebSearch, SearchProviderId, WebSearchInfo } from '../../contract/integrations.ts';
import type { Changer } from '../providers/audit-change.ts';
import { maskKey } from '../text/safe-text.ts';
import { AppError } from '../errors.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { Runtime } from '../runtime.ts';
import { version } from '../version.ts';
import { SearchConnections } from './search-connections.ts';
import { searchFailure } from './search-failure.ts';
import type { SearchResult } from './search-provider.ts';
import { searchProviderIds, searchProviders } from './search-provider-list.ts';
import { configureWebSearch, type ConfigureWebSearchDeps } from './configure-web-search.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_SNIPPET = 1000;

export interface WebSearchOptions {
  limit: number;
  signal?: AbortSignal | undefined;
}

export interface WebSearchDeps extends ConfigureWebSearchDeps {
  outbound: Pick<Outbound, 'fetch' | 'check'>;
  runtime: Runtime;
}

/** Searches the web through the configured provider. */
export class WebSearch {
  readonly #deps: WebSearchDeps;
  readonly #connections: SearchConnections;
  constructor(deps: WebSearchDeps) {
    this.#deps = deps;
    this.#connections = new SearchConnections(deps.config, deps.outbound);
  }

  /** Why web search is not available and how to fix it; undefined if it is available. */
  unavailable(): string | undefined {
    return this.#connections.unavailable();
  }

  /** Throws an `AppError` with a message for people and models, or the reason of the signal if it aborted. */
  async search(query: string, { limit, signal }: WebSearchOptions): Promise<SearchResult[]> {
    const id = this.#connections.provider();
    const reason = this.unavailable();
    if (reason !== undefined || id === undefined)
      throw new AppError('unavailable', reason ?? '', { isLasting: true });
    const body = await this.#request(id, query, limit, signal);
    return this.#read(id, body).slice(0, limit);
  }

  describe(): WebSearchInfo {
    const { config } = this.#deps;
    const reason = this.unavailable() ?? null;
    const connectionOf = (id: SearchProviderId) => {
      const apiKey = this.#connections.key(id);
      const baseUrl = this.#connections.baseUrl(id);
      return {
        ...(apiKey !== undefined && { apiKey: maskKey(apiKey) }),
        ...(baseUrl !== undefined && { baseUrl }),
      };
    };
    return {
      config: {
        enabled: config.get('integrations.webSearch.enabled'),
        provider: config.get('integrations.webSearch.provider') ?? null,
        brave: connectionOf('brave'),
        serper: connectionOf('serper'),
        tavily: connectionOf('tavily'),
        searxng: connectionOf('searxng'),
      },
      status: { available: reason === null, provider: this.#connections.provider() ?? null, reason },
      providers: searchProviderIds.map((id) => {
        const { name, description, configFields } = searchProviders[id];
        return { id, name, description, configFields: [...configFields] };
      }),
    };
  }

  async configure(patch: ConfigureWebSearch, changer: Changer): Promise<WebSearchInfo> {
    await configureWebSearch(this.#deps, patch, changer);
    return this.describe();
  }

  async #request(id: SearchProviderId, query: string, limit: number, signal?: AbortSignal): Promise<unknown> {
    const { outbound, runtime } = this.#deps;
    const connection = this.#connections.of(id);
    const { name } = searchProviders[id];
    const { url, headers, ...request } = searchProviders[id].request(connection, query, limit);
    const response = await outbound
      .fetch(url, {
        ...request,
        headers: { accept: 'application/json', 'user-agent': `svc/${version}`, ...headers },
        ...(signal && { signal }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        throw error instanceof OutboundError
          ? new AppError('unavailable', `The request to ${name} failed: ${error.message}`)
          : error;
      });
    const body = parseJson(response.text);
    if (response.status < 200 || response.status >= 300) {
      const { apiKey } = connection;
      throw searchFailure(id, response, body, { apiKey, now: runtime.now().getTime() });
    }
    if (body === undefined) throw new AppError('unavailable', `${name} did not return JSON`);
    return body;
  }

  #read(id: SearchProviderId, body: unknown): SearchResult[] {
    const provider = searchProviders[id];
    try {
      return provider
        .read(body)
        .filter(({ url }) => /^https?:\/\//i.test(url) && URL.canParse(url))
        .map(({ title, url, snippet }) => ({
          title: oneLine(title),
          url: new URL(url).href,
          snippet: oneLine(snippet),
        }));
    } catch (cause) {
      throw new AppError('unavailable', `${provider.name} returned an unexpected response`, {
        cause,
      });
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Collapses untrusted titles and excerpts to one line, so that they cannot imitate further results. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MAX_SNIPPET ? `${line.slice(0, MAX_SNIPPET - 1).toWellFormed()}…` : line;
}
