import { derivePath, getMasterKeyFromSeed, getPublicKey } from 'ed25519-hd-key';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/core/secrets/derive-key.ts';
import { publicKeyOf } from '../../../src/core/secrets/ed25519.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';

interface Vectors {
  seed: string;
  chains: { path: string; chainCode: string; privateKey: string; publicKey: string }[];
}
const { seed, chains } = sharedFixture<Vectors>('vectors/slip10-ed25519.json') ?? { seed: '', chains: [] };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe.skipIf(!hasSharedFixtures)('keys derived by SLIP-0010 (needs ../shared)', () => {
  it.each(chains)(
    'derives the key of the standard at $path',
    ({ path, chainCode, privateKey, publicKey }) => {
      const derived = path === 'm' ? getMasterKeyFromSeed(seed) : derivePath(path, seed);
      expect(hex(derived.key)).toBe(privateKey);
      expect(hex(deriveKey(path, Buffer.from(seed, 'hex')))).toBe(privateKey);
      expect(hex(derived.chainCode)).toBe(chainCode);
      expect(hex(getPublicKey(derived.key))).toBe(publicKey);
      expect(`00${hex(publicKeyOf(derived.key))}`).toBe(publicKey);
    },
  );
});

describe('deriving a key', () => {
  it('gives the same key as the library that the command line uses, for any seed and path', () => {
    const steps = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 64 }), steps, (bytes, numbers) => {
        const path = ['m', ...numbers.map((number) => `${number}'`)].join('/');
        if (numbers.length > 0)
          expect(hex(deriveKey(path, bytes))).toBe(hex(derivePath(path, hex(bytes)).key));
      }),
    );
  });

  it.each(['', 'm/1', "44'/0'", "m/a'", "m//1'", "m/2147483648'"])('refuses the path "%s"', (path) => {
    expect(() => deriveKey(path, Buffer.alloc(32))).toThrow('no hardened derivation path');
  });
});
