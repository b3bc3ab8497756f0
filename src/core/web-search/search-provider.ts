import type { OutboundRequest } from '../outbound/outbound-fetch.ts';

export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
}

/** Where a provider is, and the key for it. */
export interface SearchConnection {
  baseUrl: string;
  apiKey: string | undefined;
}

export interface SearchRequest extends Pick<OutboundRequest, 'method' | 'headers' | 'body'> {
  url: string;
}

/** One who searches the web for us. A new one is a file with this interface and a line in the list of providers. */
export interface SearchProvider {
  name: string;
  description: string;
  /** What it cannot do without. */
  needs: 'apiKey' | 'baseUrl';
  /** What people are asked for. */
  configFields: readonly ('apiKey' | 'baseUrl')[];
  /** What a 403 means where it is not about the key, as a sentence. */
  forbidden?: string;
  request(connection: SearchConnection, query: string, limit: number): SearchRequest;
  /** The results in their order, in the provider's own words; throws for an answer of another shape. */
  read(answer: unknown): SearchResult[];
}
