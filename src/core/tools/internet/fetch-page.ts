import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { version } from '../../version.ts';
import { ToolFailure } from '../tool.ts';
import { decodePage, mediaTypeOf } from './decode-page.ts';

const MAX_REDIRECTS = 5;
const MAX_BYTES = 4 * 1024 * 1024;
const redirects = [301, 302, 303, 307, 308];

export interface Page {
  /** The final URL after redirects. */
  url: string;
  mediaType: string;
  body: string;
}

/**
 * Fetches a page through the outbound fetch, which checks every redirect again. Sends no cookies, keys or referrer.
 */
export async function fetchPage(
  fetch: OutboundFetch,
  start: string,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Page> {
  const deadline = AbortSignal.timeout(timeoutMs);
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { status, headers, text } = await fetch(url, {
      method: 'GET',
      headers: {
        accept: 'text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.1',
        'user-agent': `svc/${version}`,
      },
      signal: AbortSignal.any([signal, deadline]),
      timeoutMs,
      maxBytes: MAX_BYTES,
      decode: decodePage,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (deadline.aborted)
        throw new ToolFailure(`${hostOf(url)} did not answer within ${timeoutMs / 1000} seconds`);
      throw toToolFailure(error, url);
    });
    const location = redirects.includes(status) ? headers.get('location') : null;
    if (location === null) {
      if (status < 200 || status >= 300)
        throw new ToolFailure(`${hostOf(url)} answered ${status} for ${url}`);
      return { url, mediaType: mediaTypeOf(headers), body: text };
    }
    const next = URL.parse(location, url);
    if (!next) throw new ToolFailure(`${hostOf(url)} redirects to something that is not a URL`);
    url = next.href;
  }
  throw new ToolFailure(`${hostOf(start)} redirects more than ${MAX_REDIRECTS} times`);
}

const hostOf = (url: string) => URL.parse(url)?.host ?? url;

/** Turns an `OutboundError` into a `ToolFailure`; returns other errors unchanged. */
export function toToolFailure(error: unknown, url: string): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.fault !== 'too_long') return new ToolFailure(error.message);
  return new ToolFailure(`${url} is longer than ${MAX_BYTES / 1024 / 1024} MiB`);
}
