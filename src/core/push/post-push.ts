import { OutboundError } from '../outbound/outbound-error.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../outbound/retry-after.ts';
import type { Runtime } from '../runtime.ts';
import type { VapidKeys } from './vapid-keys.ts';

const TIMEOUT_MS = 10_000;
/** The answer of a push service is its status. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface PostPushDeps {
  fetch: OutboundFetch;
  vapid: VapidKeys;
  /** Whom a push service may write to about this daemon: an https address. */
  subject: () => string;
  runtime: Pick<Runtime, 'now' | 'monotonic'>;
}

/** A message with the browser that it is for. */
export interface PushPost {
  endpoint: string;
  p256dh: string;
  auth: string;
  body: string;
  topic: string;
  urgency: string;
  ttlSeconds: number;
}

export interface PushResult {
  /** `gone`: the browser does not listen any more; `refused`: another attempt would not help. */
  outcome: 'accepted' | 'gone' | 'refused' | 'failed';
  error: string | null;
  hasAnswered: boolean;
  durationMs: number;
  retryAfterMs?: number | undefined;
}

/** Encrypts a message for one browser and hands it to its push service once. Rejects with the signal's reason if aborted. */
export async function postPush(
  { fetch, vapid, subject, runtime }: PostPushDeps,
  { endpoint, p256dh, auth, body, topic, urgency, ttlSeconds }: PushPost,
  signal: AbortSignal,
): Promise<PushResult> {
  const began = runtime.monotonic();
  const durationMs = () => Math.round((runtime.monotonic() - began) * 10) / 10;
  // Loaded with the first message: most daemons have nobody to notify.
  const { default: webPush } = await import('web-push');
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, body, {
    vapidDetails: { subject: subject(), ...vapid },
    TTL: ttlSeconds,
    urgency: urgency as 'low' | 'normal' | 'high',
    topic,
  });
  // The length is that of the body.
  const { 'Content-Length': _, ...headers } = request.headers;
  try {
    const { status, headers: answered } = await fetch(endpoint, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      bytes: new Uint8Array(request.body),
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const outcome = outcomeOf(status);
    return {
      outcome,
      error: outcome === 'accepted' ? null : `The push service answered ${status}`,
      hasAnswered: true,
      durationMs: durationMs(),
      ...((status === 429 || status === 503) && {
        retryAfterMs: readRetryAfter(answered.get('retry-after'), runtime.now().getTime()),
      }),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: 'failed', error: error.message, hasAnswered: false, durationMs: durationMs() };
  }
}

function outcomeOf(status: number): PushResult['outcome'] {
  if (status >= 200 && status <= 299) return 'accepted';
  if (status === 404 || status === 410) return 'gone';
  return status === 408 || status === 429 || status >= 500 ? 'failed' : 'refused';
}
