import { AppError } from '../../errors.ts';
import type { OutboundFetch, OutboundRequest } from '../../outbound/outbound-fetch.ts';
import { version } from '../../version.ts';

export interface VendorRequest extends Pick<OutboundRequest, 'method' | 'body'> {
  headers?: Record<string, string>;
}
export interface VendorAnswer {
  status: number;
  headers: Headers;
  /** What the JSON says; undefined for anything else. */
  body: unknown;
}

/** Asks a vendor for JSON; answers whatever is no fault of the vendor, refusals included. */
export async function askVendor(
  fetch: OutboundFetch,
  vendor: string,
  url: string,
  { headers, ...request }: VendorRequest,
): Promise<VendorAnswer> {
  const { status, text, ...answer } = await fetch(url, {
    ...request,
    headers: { accept: 'application/json', 'user-agent': `svc/${version}`, ...headers },
    timeoutMs: 15_000,
    maxBytes: 1024 * 1024,
  }).catch((error: unknown) => {
    throw error instanceof AppError
      ? new AppError('unavailable', `${vendor} does not answer: ${error.message}`)
      : error;
  });
  if (status < 200 || status === 429 || status >= 500 || (status >= 300 && status < 400))
    throw new AppError('unavailable', `${vendor} answered ${status}. Try again later.`);
  return { status, headers: answer.headers, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
