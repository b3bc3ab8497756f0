import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../../outbound/retry-after.ts';
import { exchangeJson, type VendorAnswer } from '../../outbound/vendor-requests.ts';
import { CommentFailure } from './comment-failure.ts';

/** Comments that others wrote come back in a list, each as long as its vendor takes one. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** What GitHub asks for where it names no time. */
const LIMITED_MS = 60_000;

/** Where an API is, and as whom it is asked. */
export interface CommentApi {
  vendor: string;
  /** Without a slash at its end. */
  baseUrl: string;
  headers: Record<string, string>;
  fetch: OutboundFetch;
  now: () => Date;
  signal: AbortSignal;
}

/** Asks the API once, whatever it answers. Throws an `AppError` where there is no answer. */
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

/** The answer where its status says that it was done; throws what the status means where not. */
export function requireDone(api: CommentApi, answer: VendorAnswer): VendorAnswer {
  if (answer.status < 200 || answer.status > 299) throw failureOf(api, answer);
  return answer;
}

/** Milliseconds for which the headers ask to be left alone: seconds, or a time in one of the forms that vendors use. */
export function waitOf(headers: Headers, now: number): number | undefined {
  const seconds = readRetryAfter(headers.get('retry-after'), now);
  if (seconds !== undefined) return seconds;
  const resets = ['x-ratelimit-reset', 'x-ratelimit-requests-reset', 'x-ratelimit-complexity-reset'].map(
    (name) => timeOf(headers.get(name)),
  );
  const waits = resets.map((reset) => reset - now).filter((wait) => wait > 0);
  return waits.length > 0 ? Math.ceil(Math.max(...waits)) : undefined;
}

/** An answer that names no time means a minute. */
export const limited = ({ vendor, now }: CommentApi, headers: Headers): CommentFailure =>
  new CommentFailure('limited', `${vendor} takes no more requests for now`, {
    waitMs: waitOf(headers, now().getTime()) ?? LIMITED_MS,
  });

export const notUnderstood = (vendor: string): CommentFailure =>
  new CommentFailure('transient', `${vendor} gave an answer that cannot be read`);

function failureOf(api: CommentApi, { status, headers, body }: VendorAnswer): CommentFailure {
  const says = `${api.vendor} answered ${status}`;
  if (status === 429 || (status === 403 && isLimit(headers, body))) return limited(api, headers);
  if (status === 401) return new CommentFailure('unauthorized', `${says}: it does not take the token`);
  if (status === 404 || status === 410)
    return new CommentFailure('missing', `${says}: it is gone, or the account may not see it`);
  if (status === 403) return new CommentFailure('refused', `${says}: the account may not write there`);
  if (status >= 500 || [408, 409, 425].includes(status))
    return new CommentFailure('transient', says, { waitMs: waitOf(headers, api.now().getTime()) });
  return new CommentFailure('refused', says);
}

/** GitHub says with the status of a missing right, too, that there were too many requests. */
const isLimit = (headers: Headers, body: unknown): boolean =>
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
