import { AppError } from '../errors.ts';
import { version } from '../version.ts';
import type { ResponseHeaders } from './exchange.ts';
import type { OutboundFetch, OutboundRequest } from './outbound-fetch.ts';

export interface VendorRequest extends Pick<OutboundRequest, 'method' | 'body' | 'signal'> {
  headers?: Record<string, string>;
  /** The maximum response size, 1 MiB by default. */
  maxBytes?: number;
}
export interface VendorAnswer {
  status: number;
  headers: ResponseHeaders;
  /** The parsed JSON; undefined for any other body. */
  body: unknown;
}

/** Sends one JSON request to a vendor and returns the response with any status. Throws `unavailable` without a response. */
export async function exchangeJson(
  fetch: OutboundFetch,
  vendor: string,
  url: string,
  { headers, maxBytes = 1024 * 1024, ...request }: VendorRequest,
): Promise<VendorAnswer> {
  const { text, ...answer } = await fetch(url, {
    ...request,
    headers: { accept: 'application/json', 'user-agent': `svc/${version}`, ...headers },
    timeoutMs: 15_000,
    maxBytes,
  }).catch((error: unknown) => {
    throw error instanceof AppError
      ? new AppError('unavailable', `${vendor} does not answer: ${error.message}`)
      : error;
  });
  return { ...answer, body: parseJson(text) };
}

/** Sends a JSON request to a vendor; returns any response except redirects, rate limits and server errors. */
export async function askVendor(
  fetch: OutboundFetch,
  vendor: string,
  url: string,
  request: VendorRequest,
): Promise<VendorAnswer> {
  const answer = await exchangeJson(fetch, vendor, url, request);
  const { status } = answer;
  if (status === 429 || status >= 500)
    throw new AppError('unavailable', `${vendor} answered ${status}. Try again later.`);
  if (status < 200 || (status >= 300 && status < 400))
    throw new AppError(
      'unavailable',
      `${vendor} answered ${status}, which is no answer. Check its base URL: svc config ls`,
      { isLasting: true },
    );
  return answer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
