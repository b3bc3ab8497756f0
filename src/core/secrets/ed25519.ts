import { createPrivateKey, createPublicKey, sign as signWith, verify } from 'node:crypto';

/** The DER prefixes of the 32 bytes of a key (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** The prime of the field, the order of the group, and the constant of the curve (RFC 8032, section 5.1). */
const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const y8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;
/** The y of the eight points of small order; each but the first two belongs to x and -x. */
const smallOrderY = new Set([1n, p - 1n, 0n, y8, p - y8]);

/** Signs deterministically: the same bytes always have the same signature. */
export const sign = (seed: Uint8Array, bytes: Uint8Array): Buffer => signWith(null, bytes, privateKey(seed));

/** The 32 bytes of the public key. */
export function publicKeyOf(seed: Uint8Array): Buffer {
  const key = createPublicKey(privateKey(seed)).export({ type: 'spki', format: 'der' });
  return key.subarray(PUBLIC_PREFIX.length);
}

/**
 * Whether every strict verifier accepts the signature and it is not malleable. Many versions of OpenSSL accept keys of
 * small order, under which one signature is valid for many texts.
 */
export function verifyStrictly(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 2 * KEY_BYTES || !isStrictPoint(publicKey)) return false;
  if (!isStrictPoint(signature.subarray(0, KEY_BYTES))) return false;
  if (numberOf(signature.subarray(KEY_BYTES)) >= order) return false;
  const der = Buffer.concat([PUBLIC_PREFIX, publicKey]);
  return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
}

/** Whether the bytes are the canonical encoding of a curve point that is not of small order. */
export function isStrictPublicKey(publicKey: Uint8Array): boolean {
  if (!isStrictPoint(publicKey)) return false;
  const square = yOf(publicKey) ** 2n;
  // x² = (y² - 1) / (dy² + 1); a fraction is a square where the product is one (Euler's criterion).
  return power((square - 1n) * (d * square + 1n), (p - 1n) / 2n) === 1n;
}

function privateKey(seed: Uint8Array) {
  if (seed.length !== KEY_BYTES) throw new Error(`A private key has ${KEY_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function isStrictPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== KEY_BYTES) return false;
  const y = yOf(bytes);
  return y < p && !smallOrderY.has(y);
}

/** The highest bit is the sign of x. */
const yOf = (bytes: Uint8Array) => numberOf(bytes) & (2n ** 255n - 1n);

/** Little-endian. */
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [factor, rest] = [base % p, exponent]; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % p;
    factor = (factor * factor) % p;
  }
  return result;
}
