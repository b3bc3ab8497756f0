import { derivePath, getMasterKeyFromSeed, getPublicKey } from 'ed25519-hd-key';
import { describe, expect, it } from 'vitest';
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
      expect(hex(derived.chainCode)).toBe(chainCode);
      expect(hex(getPublicKey(derived.key))).toBe(publicKey);
      expect(`00${hex(publicKeyOf(derived.key))}`).toBe(publicKey);
    },
  );
});
