import type { Runtime } from '../runtime.ts';
import { version } from '../version.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundFetch } from './outbound-fetch.ts';
import { readRetryAfter } from './retry-after.ts';
import { signatureHeaders, type SignedMessage } from './webhook-signature.ts';

const TIMEOUT_MS = 10_000;
/** The maximum response size that is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 4 * 1024;

export interface PostSignedDeps {
  fetch: OutboundFetch;
  runtime: Pick<Runtime, 'now' | 'monotonic'>;
}
export interface SignedPost extends Omit<SignedMessage, 'sentAt'> {
  url: string;
  headers?: Record<string, string>;
}

export interface AttemptResult {
  isDelivered: boolean;
  status: number | null;
  error: string | null;
  /** The first 4 KiB of the answer. */
  responseBody: string | null;
  durationMs: number;
  /** The receiver's Retry-After in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** Posts a signed message once. Rejects with the signal's reason if aborted. */
export async function postSigned(
  { fetch, runtime }: PostSignedDeps,
  { url, headers, ...message }: SignedPost,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const began = runtime.monotonic();
  const durationMs = () => Math.round((runtime.monotonic() - began) * 10) / 10;
  const sentAt = runtime.now();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `svc/${version}`,
        ...headers,
        ...signatureHeaders({ ...message, sentAt }),
      },
      body: message.body,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const { status } = answer;
    const isDelivered = status >= 200 && status <= 299;
    return {
      isDelivered,
      status,
      error: isDelivered ? null : `The receiver answered ${status}`,
      responseBody: beginningOf(answer.text),
      durationMs: durationMs(),
      ...((status === 429 || status === 503) && {
        retryAfterMs: readRetryAfter(answer.headers.get('retry-after'), runtime.now().getTime()),
      }),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return {
      isDelivered: false,
      status: null,
      error: error.message,
      responseBody: null,
      durationMs: durationMs(),
    };
  }
}

/** Truncates the text between characters and removes NUL, which some databases cannot store. */
function beginningOf(text: string): string {
  const clean = text.replaceAll('\0', '').toWellFormed();
  if (clean.length <= MAX_KEPT_BYTES / 3) return clean;
  return clean.slice(0, new TextEncoder().encodeInto(clean, new Uint8Array(MAX_KEPT_BYTES)).read);
}
