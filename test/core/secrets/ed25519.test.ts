import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStrictPublicKey, publicKeyOf, sign, verifyStrictly } from '../../../src/core/secrets/ed25519.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';

interface Vector {
  tcId: number;
  comment: string;
  publicKey: string;
  msg: string;
  sig: string;
  result: 'valid' | 'invalid';
}
const vectors = sharedFixture<{ tests: Vector[] }>('vectors/ed25519-verify.json')?.tests ?? [];

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const modulo = (value: bigint) => ((value % p) + p) % p;
function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power(modulo(base * base), exponent / 2n);
  return exponent % 2n === 1n ? modulo(half * base) : half;
}
const inverse = (value: bigint) => power(modulo(value), p - 2n);
const d = modulo(-121665n * inverse(121666n));

type Point = { x: bigint; y: bigint };
const add = (a: Point, b: Point): Point => {
  const product = d * modulo(a.x * b.x) * modulo(a.y * b.y);
  return {
    x: modulo((a.x * b.y + a.y * b.x) * inverse(1n + product)),
    y: modulo((a.y * b.y + a.x * b.x) * inverse(1n - product)),
  };
};
const times = (factor: bigint, point: Point): Point => {
  let sum: Point = { x: 0n, y: 1n };
  for (let [rest, doubled] = [factor, point]; rest > 0n; rest /= 2n, doubled = add(doubled, doubled))
    if (rest % 2n === 1n) sum = add(sum, doubled);
  return sum;
};
/** x from y, where y belongs to the curve. */
function pointAt(y: bigint): Point | undefined {
  const square = modulo((y * y - 1n) * inverse(d * y * y + 1n));
  const root = power(square, (p + 3n) / 8n);
  for (const x of [root, modulo(root * power(2n, (p - 1n) / 4n))])
    if (modulo(x * x) === square) return { x, y };
  return undefined;
}
const littleEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
const encode = (y: bigint, sign: bigint) => littleEndian(y + (sign << 255n));

/** The eight points of small order: what is left of a point when all of its big order is taken away. */
function torsionPoints(): Point[] {
  for (let y = 2n; ; y++) {
    const point = pointAt(y);
    const small = point && times(order, point);
    if (small && times(4n, small).y !== 1n)
      return Array.from({ length: 8 }, (_, factor) => times(BigInt(factor), small));
  }
}
/** Every encoding of every small-order point: the canonical one, y + p where that fits, either sign where x is 0. */
const smallOrderEncodings = [
  ...new Set(
    torsionPoints().flatMap(({ y }) =>
      [y, y + p]
        .filter((value) => value < 2n ** 255n)
        .flatMap((value) => [encode(value, 0n), encode(value, 1n)].map((bytes) => bytes.toString('hex'))),
    ),
  ),
];

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const seed = Buffer.alloc(32, 7);
/** The secret behind the public key (RFC 8032, section 5.1.5). */
const scalar =
  ((numberOf(hash('sha512', seed, 'buffer').subarray(0, 32)) & (2n ** 254n - 8n)) | (2n ** 254n)) % order;
const message = Buffer.from('message');
const publicKey = publicKeyOf(seed);
const signature = sign(seed, message);
const hex = (text: string) => Buffer.from(text, 'hex');

describe('Ed25519', () => {
  it.each(rfc8032Vectors)('signs and verifies $name of RFC 8032', (vector) => {
    expect(publicKeyOf(hex(vector.seed)).toString('hex')).toBe(vector.publicKey);
    expect(sign(hex(vector.seed), hex(vector.message)).toString('hex')).toBe(vector.signature);
    expect(verifyStrictly(hex(vector.publicKey), hex(vector.message), hex(vector.signature))).toBe(true);
    expect(verifyStrictly(hex(vector.publicKey), hex(`${vector.message}00`), hex(vector.signature))).toBe(
      false,
    );
    expect(isStrictPublicKey(hex(vector.publicKey))).toBe(true);
  });

  it('accepts signatures of random keys', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ maxLength: 200 }),
        (key, bytes) => verifyStrictly(publicKeyOf(key), bytes, sign(key, bytes)),
      ),
    );
  });

  it('refuses a signature with a single changed bit', () => {
    for (let bit = 0; bit < 64 * 8; bit++) {
      const flipped = Buffer.from(signature);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifyStrictly(publicKey, message, flipped), `bit ${bit}`).toBe(false);
    }
  });

  it.each([0, 1, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(verifyStrictly(Buffer.alloc(length, publicKey), message, signature)).toBe(false);
    expect(isStrictPublicKey(Buffer.alloc(length, publicKey))).toBe(false);
  });

  it.each([0, 1, 32, 63, 65, 128])('refuses a signature of %i bytes', (length) => {
    expect(verifyStrictly(publicKey, message, Buffer.alloc(length, signature))).toBe(false);
  });

  it('refuses to sign with a seed of another length', () => {
    expect(() => sign(Buffer.alloc(31), message)).toThrow('32 bytes');
    expect(() => publicKeyOf(Buffer.alloc(33))).toThrow('32 bytes');
  });

  it.each([1n, 2n, 8n, 15n])('refuses S + %i times the order of the group', (factor) => {
    const s = numberOf(signature.subarray(32));
    const raised = Buffer.concat([signature.subarray(0, 32), littleEndian(s + factor * order)]);
    expect(verifyStrictly(publicKey, message, raised)).toBe(false);
  });
});

describe('strict point checks', () => {
  it('the eight points of small order have fourteen encodings', () => {
    expect(new Set(torsionPoints().map(({ x, y }) => `${x} ${y}`)).size).toBe(8);
    expect(smallOrderEncodings).toHaveLength(14);
  });

  it.each(smallOrderEncodings)('refuses an encoding of small order as a key: %s', (encoding) => {
    expect(isStrictPublicKey(hex(encoding))).toBe(false);
    expect(verifyStrictly(hex(encoding), message, signature)).toBe(false);
  });

  it.each(smallOrderEncodings)(
    'refuses an encoding of small order as the key and R of a universal signature: %s',
    (encoding) => {
      const forged = Buffer.concat([hex(encoding), Buffer.alloc(32)]);
      for (const key of [...smallOrderEncodings.map(hex), publicKey])
        expect(verifyStrictly(key, message, forged)).toBe(false);
    },
  );

  // The equation holds for these, so that many versions of OpenSSL take them.
  it('refuses a key under which one signature fits every text', () => {
    const forged = Buffer.concat([publicKey, littleEndian(scalar)]);
    expect(verifyStrictly(encode(1n, 0n), message, forged)).toBe(false);
  });

  it('refuses an R of small order, even from the owner of the key', () => {
    const neutral = encode(1n, 0n);
    const digest = hash('sha512', Buffer.concat([neutral, publicKey, message]), 'buffer');
    const forged = Buffer.concat([neutral, littleEndian((numberOf(digest) * scalar) % order)]);
    expect(verifyStrictly(publicKey, message, forged)).toBe(false);
  });

  it('refuses non-canonical encodings of y', () => {
    for (let y = 0n; y < 19n; y++)
      for (const sign of [0n, 1n]) expect(isStrictPublicKey(encode(y + p, sign))).toBe(false);
  });

  it('refuses exactly the points that are not on the curve', () => {
    for (let y = 2n; y < 100n; y++)
      for (const sign of [0n, 1n])
        expect(isStrictPublicKey(encode(y, sign)), `y ${y}`).toBe(pointAt(y) !== undefined);
  });
});

describe.skipIf(!hasSharedFixtures)('the vectors of Wycheproof (need ../shared)', () => {
  it.each(vectors)('Wycheproof vector $tcId: $result $comment', ({ publicKey: key, msg, sig, result }) => {
    expect(verifyStrictly(hex(key), hex(msg), hex(sig))).toBe(result === 'valid');
  });
});
