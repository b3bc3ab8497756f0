import { readUpTo } from '../outbound/outbound-fetch.ts';
import { version } from '../version.ts';
import type { Connection, ModelProvider } from './model-provider.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** A response of a vendor that failed or cannot be parsed; shaped like the errors of the AI SDK for `toModelFailure`. */
export class VendorResponseError extends Error {
  override readonly name = 'AI_VendorResponseError';
  readonly statusCode: number;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;
  constructor(response: Response, responseBody: string) {
    super(response.ok ? '' : `it answered ${response.status}`);
    this.statusCode = response.status;
    this.responseHeaders = Object.fromEntries(response.headers);
    this.responseBody = responseBody;
  }
}

/** Fetches JSON from a path below the base URL. */
export async function fetchFromProvider(
  provider: ModelProvider,
  { apiKey, baseUrl, apiVersion, fetch }: Connection,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(`${baseUrl}${path}`);
  if (apiVersion !== undefined) url.searchParams.set('api-version', apiVersion);
  const headers = { accept: 'application/json', 'user-agent': `svc/${version}`, ...provider.headers(apiKey) };
  const response = await fetch(url, { headers, signal });
  const text = await readUpTo(response.body as AsyncIterable<Uint8Array> | null, MAX_BYTES);
  if (!response.ok) throw new VendorResponseError(response, text);
  try {
    return JSON.parse(text);
  } catch {
    throw new VendorResponseError(response, text);
  }
}
