import { describe, expect, it } from 'vitest';
import { KeyHasher } from '../../../src/core/auth/key-hasher.ts';

describe('a hashed key', () => {
  const hasher = new KeyHasher();

  it('a hashed key matches itself and nothing else', async () => {
    const hash = await hasher.hash('the key');
    expect(await hasher.matches('the key', hash)).toBe(true);
    for (const other of ['', 'the key ', 'The key', 'the ke', 'the key\0'])
      expect(await hasher.matches(other, hash), other).toBe(false);
  });

  it('a hashed key is salted and has the parameters that OWASP recommends', async () => {
    const [first, second] = await Promise.all([hasher.hash('the key'), hasher.hash('the key')]);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await hasher.matches('the key', second)).toBe(true);
  });

  it.each(['', 'removed', 'the key', '$argon2id$', '$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA'])(
    'never matches an invalid hash: %j',
    async (hash) => {
      expect(await hasher.matches('the key', hash)).toBe(false);
    },
  );

  it('creates a decoy hash per name that no key matches, with its own salt', async () => {
    const [first, again, other] = [hasher.decoyFor('ann'), hasher.decoyFor('ann'), hasher.decoyFor('bob')];
    expect(again).toBe(first);
    expect(other.split('$')[4]).not.toBe(first.split('$')[4]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await hasher.matches('ann', first)).toBe(false);
    expect(new KeyHasher().decoyFor('ann')).not.toBe(first);
  });

  it('refuses a hash while too many are waiting', async () => {
    const busy = new KeyHasher(undefined, 3);
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => busy.hash('the key')));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refused = all.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'unavailable' } });
  });

  it('queues concurrent hashes and completes all of them', async () => {
    const hash = await hasher.hash('the key');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => hasher.matches(index % 2 === 0 ? 'the key' : 'another', hash)),
    );
    expect(answers).toEqual(Array.from({ length: 12 }, (_, index) => index % 2 === 0));
  });
});
