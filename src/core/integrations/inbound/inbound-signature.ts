import { createHmac, timingSafeEqual } from 'node:crypto';
import { linearSignatureHeader, type Vendor } from '../../../contract/vendors.ts';
import type { SourceHeaders } from './source-work.ts';

interface Scheme {
  /** Headers with a signature; every one that is present has to be valid. */
  headers: readonly string[];
  prefix: string;
}

const schemes: Record<Vendor, Scheme> = {
  github: { headers: ['x-hub-signature-256'], prefix: 'sha256=' },
  jira: { headers: ['x-hub-signature'], prefix: 'sha256=' },
  // The neutral name and Linear's own.
  linear: { headers: [linearSignatureHeader, 'linear-signature'], prefix: '' },
};

/** Whether the vendor signed exactly these bytes: HMAC-SHA256 with the secret, in lower-case hex. */
export function isSigned(
  provider: Vendor,
  { headers, body }: { headers: SourceHeaders; body: Uint8Array },
  secret: string,
): boolean {
  const scheme = schemes[provider];
  const signatures = scheme.headers.map((name) => headers[name]).filter((value) => value !== undefined);
  if (secret === '' || signatures.length === 0) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return signatures.every((value) => {
    const signature = readSignature(value, scheme.prefix);
    return signature !== undefined && timingSafeEqual(signature, expected);
  });
}

/** A repeated header arrives as a list or joined with commas, and is invalid. */
function readSignature(value: string | string[], prefix: string): Buffer | undefined {
  if (typeof value !== 'string' || !value.startsWith(prefix)) return undefined;
  const digits = value.slice(prefix.length);
  return /^[\da-f]{64}$/.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}
