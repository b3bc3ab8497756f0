import type { ResponseHeaders } from '../../outbound/exchange.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../../outbound/retry-after.ts';
import { exchangeJson, type VendorAnswer } from '../../outbound/vendor-requests.ts';
import { CommentFailure } from './comment-failure.ts';

/** A list contains comments by other people, each up to the vendor's maximum length. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** GitHub's documented wait when a response names none. */
const LIMITED_MS = 60_000;

/** The base URL and credentials of a vendor's API. */
export interface CommentApi {
  vendor: string;
  /** Without a trailing slash. */
  baseUrl: string;
  headers: Record<string, string>;
  fetch: OutboundFetch;
  now: () => Date;
  signal: AbortSignal;
}

/** Sends one request and returns the response with any status. Throws an `AppError` without a response. */
export const exchange = (
  { fetch, vendor, headers, signal }: CommentApi,
  url: string,
  { method, body }: { method: 'GET' | 'POST' | 'PUT' | 'PATCH'; body?: unknown },
): Promise<VendorAnswer> =>
  exchangeJson(fetch, vendor, url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
    maxBytes: MAX_ANSWER_BYTES,
  });

/** Returns the response if it succeeded; throws the `CommentFailure` for its status otherwise. */
export function requireSuccess(api: CommentApi, answer: VendorAnswer): VendorAnswer {
  if (answer.status < 200 || answer.status > 299) throw failureOf(api, answer);
  return answer;
}

/** Milliseconds to wait according to the rate limit headers: seconds, or a time in one of the vendors' formats. */
export function waitOf(headers: ResponseHeaders, now: number): number | undefined {
  const seconds = readRetryAfter(headers.get('retry-after'), now);
  if (seconds !== undefined) return seconds;
  const resets = ['x-ratelimit-reset', 'x-ratelimit-requests-reset', 'x-ratelimit-complexity-reset'].map(
    (name) => timeOf(headers.get(name)),
  );
  const waits = resets.map((reset) => reset - now).filter((wait) => wait > 0);
  return waits.length > 0 ? Math.ceil(Math.max(...waits)) : undefined;
}

/** A response that names no time means a minute. */
export const limited = ({ vendor, now }: CommentApi, headers: ResponseHeaders): CommentFailure =>
  new CommentFailure('limited', `${vendor} is rate limiting requests`, {
    waitMs: waitOf(headers, now().getTime()) ?? LIMITED_MS,
  });

export const unreadableAnswer = (vendor: string): CommentFailure =>
  new CommentFailure('transient', `${vendor} sent an unreadable answer`);

function failureOf(api: CommentApi, { status, headers, body }: VendorAnswer): CommentFailure {
  const says = `${api.vendor} answered ${status}`;
  if (status === 429 || (status === 403 && isLimit(headers, body))) return limited(api, headers);
  if (status === 401) return new CommentFailure('unauthorized', `${says}: the token was rejected`);
  if (status === 404 || status === 410)
    return new CommentFailure('missing', `${says}: it does not exist, or the account may not see it`);
  if (status === 403) return new CommentFailure('refused', `${says}: the account may not write there`);
  if (status >= 500 || [408, 409, 425].includes(status))
    return new CommentFailure('transient', says, { waitMs: waitOf(headers, api.now().getTime()) });
  return new CommentFailure('refused', says);
}

/** GitHub also reports rate limits with status 403. */
const isLimit = (headers: ResponseHeaders, body: unknown): boolean =>
  headers.has('retry-after') ||
  headers.get('x-ratelimit-remaining') === '0' ||
  /secondary rate limit|abuse detection/i.test(JSON.stringify(body) ?? '');

/** Seconds or milliseconds since 1970, or a date. */
function timeOf(value: string | null): number {
  if (value === null) return Number.NaN;
  const number = Number(value);
  if (Number.isNaN(number)) return Date.parse(value);
  return number < 1e11 ? number * 1000 : number;
}
