import { expect, it } from 'vitest';
import { readPublicKey, verifyText } from '../../../src/core/secrets/public-key.ts';
import { newSigner, signText } from '../../helpers/signers.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
/** RFC 6979, A.2.5: P-256 with SHA-256. */
const p256 = {
  publicKey: base64(
    '0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6' +
      '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
  ),
  signatures: {
    sample: base64(
      'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
        'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    ),
    test: base64(
      'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367' +
        '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
    ),
  },
};

it('verifies the vectors of RFC 8032', () => {
  for (const { publicKey, signature, message } of rfc8032Vectors) {
    const text = Buffer.from(message, 'hex').toString('utf8');
    // Only text is signed here, so a vector of other bytes proves nothing.
    if (Buffer.from(text).toString('hex') !== message) continue;
    const key = { algorithm: 'ed25519', publicKey: base64(publicKey) } as const;
    expect(verifyText(key, text, base64(signature))).toBe(true);
    expect(verifyText(key, `${text}x`, base64(signature))).toBe(false);
  }
});

it.each(['sample', 'test'] as const)('verifies the vector "%s" of RFC 6979', (text) => {
  const key = { algorithm: 'p256', publicKey: p256.publicKey } as const;
  expect(verifyText(key, text, p256.signatures[text])).toBe(true);
  expect(verifyText(key, 'other', p256.signatures[text])).toBe(false);
  expect(verifyText({ ...key, algorithm: 'ed25519' }, text, p256.signatures[text])).toBe(false);
});

it.each(['ed25519', 'p256'] as const)('finds each changed bit of a signature of %s', (algorithm) => {
  const signer = newSigner(algorithm);
  const signature = Buffer.from(signText(signer, 'text'), 'base64');
  expect(verifyText(signer, 'text', signature.toString('base64'))).toBe(true);
  for (let bit = 0; bit < signature.length * 8; bit += 7) {
    const changed = Buffer.from(signature);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(verifyText(signer, 'text', changed.toString('base64'))).toBe(false);
  }
});

it.each([
  ['ed25519', ''],
  ['ed25519', base64('00'.repeat(32))],
  ['ed25519', base64('ff'.repeat(32))],
  ['ed25519', newSigner().publicKey.slice(0, -1)],
  ['ed25519', newSigner().publicKey.replace('=', '')],
  ['ed25519', newSigner('p256').publicKey],
  ['p256', newSigner().publicKey],
  ['p256', base64(`04${'01'.repeat(64)}`)],
  ['p256', base64(`04${'00'.repeat(64)}`)],
  ['p256', base64(`02${'00'.repeat(64)}`)],
  ['p256', ` ${p256.publicKey}`],
] as const)('refuses as a key of %s: %s', (algorithm, publicKey) => {
  expect(readPublicKey(algorithm, publicKey)).toBeUndefined();
  expect(verifyText({ algorithm, publicKey }, 'text', base64('00'.repeat(64)))).toBe(false);
});

it.each(['ed25519', 'p256'] as const)('takes a key of %s', (algorithm) => {
  expect(readPublicKey(algorithm, newSigner(algorithm).publicKey)).toBeDefined();
});
