import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderName } from '../../../contract/oauth.ts';
import type { SourceHeaders } from './source-work.ts';

interface Scheme {
  /** Where the signature is; each of those that are there has to be right. */
  headers: readonly string[];
  prefix: string;
}

const schemes: Record<ProviderName, Scheme> = {
  codehost: { headers: ['x-hub-signature-256'], prefix: 'sha256=' },
  tracker_a: { headers: ['x-hub-signature'], prefix: 'sha256=' },
  // Linear's own name for it, and the neutral one.
  tracker_b: { headers: ['tracker-b-signature', 'linear-signature'], prefix: '' },
};

/** Whether the vendor signed these very bytes: HMAC-SHA256 under the secret, in lower-case hexadecimal digits. */
export function isSigned(
  provider: ProviderName,
  { headers, body }: { headers: SourceHeaders; body: Uint8Array },
  secret: string,
): boolean {
  const scheme = schemes[provider];
  const given = scheme.headers.map((name) => headers[name]).filter((value) => value !== undefined);
  if (secret === '' || given.length === 0) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return given.every((value) => {
    const signature = readSignature(value, scheme.prefix);
    return signature !== undefined && timingSafeEqual(signature, expected);
  });
}

/** A repeated header comes as a list, or joined with commas, and is none. */
function readSignature(value: string | string[], prefix: string): Buffer | undefined {
  if (typeof value !== 'string' || !value.startsWith(prefix)) return undefined;
  const digits = value.slice(prefix.length);
  return /^[\da-f]{64}$/.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}
