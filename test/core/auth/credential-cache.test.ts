import { expect, it } from 'vitest';
import { CredentialCache } from '../../../src/core/auth/credential-cache.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { AppError } from '../../../src/core/errors.ts';

const unreadable = () => Promise.reject(new AppError('unavailable', 'The disk cannot be read'));
const MINUTE = 60_000;

async function knownCaller() {
  const clock = { now: 0 };
  const cache = new CredentialCache(() => clock.now);
  await cache.find('secret', async () => owner);
  return { clock, cache };
}

it('looks a caller up again after a second', async () => {
  const { clock, cache } = await knownCaller();
  clock.now = 999;
  expect(cache.recall('secret')).toBe(owner);
  clock.now = 1000;
  expect(cache.recall('secret')).toBeUndefined();
  expect(await cache.find('secret', async () => undefined)).toBeUndefined();
});

it('knows a caller for ten minutes more while the database cannot be read', async () => {
  const { clock, cache } = await knownCaller();
  clock.now = 10 * MINUTE;
  expect(await cache.find('secret', unreadable)).toBe(owner);
  clock.now = 10 * MINUTE + 1000;
  await expect(cache.find('secret', unreadable)).rejects.toThrow('cannot be read');
});

it('forgets a caller whose rights changed, also while the database cannot be read', async () => {
  const { cache } = await knownCaller();
  cache.clear();
  await expect(cache.find('secret', unreadable)).rejects.toThrow('cannot be read');
});
