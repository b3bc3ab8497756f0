import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import type { SigningAlgorithm } from '../../contract/keys.ts';
import { decodeBase64 } from './base64.ts';
import { isStrictPublicKey, verifyStrictly } from './ed25519.ts';

const ED25519_BYTES = 32;
/** An uncompressed point (SEC 1): 4, x and y. */
const P256_BYTES = 65;
const SIGNATURE_BYTES = 64;

/** SHA-256 of a public key, as people compare it. */
export const fingerprintOf = (publicKey: Uint8Array): string => `sha256:${hash('sha256', publicKey, 'hex')}`;

/** The bytes of a public key; undefined unless the text is the canonical form of a key that can be trusted to verify. */
export function readPublicKey(algorithm: SigningAlgorithm, publicKey: string): Buffer | undefined {
  if (algorithm === 'ed25519') {
    const bytes = decodeBase64(publicKey, ED25519_BYTES);
    return bytes && isStrictPublicKey(bytes) ? bytes : undefined;
  }
  const bytes = decodeBase64(publicKey, P256_BYTES);
  return bytes && p256Key(bytes) ? bytes : undefined;
}

/** Whether the key signed exactly this text. Signature: base64, of P-256 as r and s (IEEE P1363) over SHA-256. */
export function verifyText(
  { algorithm, publicKey }: { algorithm: SigningAlgorithm; publicKey: string },
  text: string,
  signature: string,
): boolean {
  const key = readPublicKey(algorithm, publicKey);
  const bytes = decodeBase64(signature, SIGNATURE_BYTES);
  if (!key || !bytes) return false;
  if (algorithm === 'ed25519') return verifyStrictly(key, Buffer.from(text), bytes);
  const point = p256Key(key);
  return !!point && verify('sha256', Buffer.from(text), { key: point, dsaEncoding: 'ieee-p1363' }, bytes);
}

/** Undefined for bytes that are no point of the curve. */
function p256Key(bytes: Buffer): KeyObject | undefined {
  if (bytes[0] !== 4) return undefined;
  const x = bytes.subarray(1, 33).toString('base64url');
  const y = bytes.subarray(33).toString('base64url');
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
