import { OutboundError } from '../outbound/outbound-error.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { signatureHeaders, type SignedMessage } from '../outbound/webhook-signature.ts';
import { version } from '../version.ts';

const TIMEOUT_MS = 10_000;
/** What a receiver says is not kept; more than this is a receiver that does not do its part. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface AttemptResult {
  isDelivered: boolean;
  status: number | null;
  error: string | null;
}

/** Posts a signed message once. Rejects with the reason of the signal when that was aborted. */
export async function postSigned(
  fetch: OutboundFetch,
  url: string,
  message: SignedMessage,
  signal: AbortSignal,
): Promise<AttemptResult> {
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `svc/${version}`,
        ...signatureHeaders(message),
      },
      body: message.body,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const isDelivered = status >= 200 && status <= 299;
    return { isDelivered, status, error: isDelivered ? null : `The receiver answered ${status}` };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { isDelivered: false, status: null, error: error.message };
  }
}
