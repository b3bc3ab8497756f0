import { describe, expect, it } from 'vitest';
import { AccountService } from '../../../src/core/auth/account-service.ts';
import { KeyHasher } from '../../../src/core/auth/key-hasher.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { crowd } from '../../helpers/pro.ts';

const place = { isTrustedClient: true, client: {} };
const signup = (at: number) => ({ email: `u${at}@example.org`, password: 'correct horse 1', name: 'U' });

/** The accounts of a daemon with a hash that costs nothing, so that a thousand can come at once. */
function hasty({ app }: TestDaemon): AccountService {
  const { database, users, registration, sessions, pairings, audit } = app;
  const hasher = new KeyHasher({ memory: 8, passes: 1, parallelism: 1, tagLength: 32 }, 2000);
  return new AccountService({ database, users, registration, sessions, hasher, pairings, audit });
}
const rolesOf = async ({ app }: TestDaemon) =>
  (await app.userAdmin.list()).filter(({ isOwner }) => !isOwner).map(({ role }) => role);

describe(`${crowd} concurrent sign-ups`, () => {
  it('concurrent first sign-ups create one account, an administrator', async () => {
    await using daemon = await startDaemon();
    const accounts = hasty(daemon);
    const all = Array.from({ length: crowd }, (_, at) => accounts.signUp(signup(at), place));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rolesOf(daemon)).toEqual(['admin']);
  });

  it('concurrent first sign-ups create one administrator where registration is open', async () => {
    await using daemon = await startDaemon({ flags: { 'system.registrationMode': 'open' } });
    const accounts = hasty(daemon);
    await Promise.all(Array.from({ length: crowd }, (_, at) => accounts.signUp(signup(at), place)));
    const roles = await rolesOf(daemon);
    expect(roles).toHaveLength(crowd);
    expect(roles.filter((role) => role === 'admin')).toHaveLength(1);
  });

  it('concurrent sign-ups with one address create one account', async () => {
    await using daemon = await startDaemon({ flags: { 'system.registrationMode': 'open' } });
    const accounts = hasty(daemon);
    const all = Array.from({ length: crowd / 5 }, () => accounts.signUp(signup(1), place));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rolesOf(daemon)).toEqual(['admin']);
  });
});
