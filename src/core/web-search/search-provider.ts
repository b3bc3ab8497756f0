import type { OutboundRequest } from '../outbound/outbound-fetch.ts';

export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
}

/** The address of a provider and its key. */
export interface SearchConnection {
  baseUrl: string;
  apiKey: string | undefined;
}

export interface SearchRequest extends Pick<OutboundRequest, 'method' | 'headers' | 'body'> {
  url: string;
}

/** A web search provider. To add one, implement this interface in a file and add it to the list of providers. */
export interface SearchProvider {
  name: string;
  description: string;
  /** The setting that it requires. */
  needs: 'apiKey' | 'baseUrl';
  /** The settings that people can set. */
  configFields: readonly ('apiKey' | 'baseUrl')[];
  /** The message for a 403 that is not about the key. */
  forbidden?: string;
  request(connection: SearchConnection, query: string, limit: number): SearchRequest;
  /** Parses the results in order; throws if the response has another shape. */
  read(body: unknown): SearchResult[];
}
