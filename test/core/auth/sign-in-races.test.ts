import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { OneTimeTokens } from '../../../src/core/auth/one-time-tokens.ts';
import { SessionService } from '../../../src/core/auth/session-service.ts';
import { SessionStore } from '../../../src/core/auth/session-store.ts';
import { SignInLinkService } from '../../../src/core/auth/sign-in-link-service.ts';
import { TokenService } from '../../../src/core/auth/tokens/token-service.ts';
import { UserAdminService } from '../../../src/core/auth/user-admin-service.ts';
import { UserStore } from '../../../src/core/auth/user-store.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { addUser, canRace, openRace, overlap } from '../../helpers/race.ts';
import type { TestStorage } from '../../helpers/storage.ts';

const keys = new KeyRing(Buffer.alloc(32));

/** The services on a daemon; the write of a one-time token is not held up. */
function servicesOf({ database, bus }: TestStorage, plain = database) {
  const reportBug = (error: unknown) => {
    throw error;
  };
  const audit = new AuditLog(runtime, database.engine);
  const deps = { database, bus, audit, runtime, reportBug };
  const users = new UserStore(database);
  const sessions = new SessionService({ ...deps, store: new SessionStore(database) });
  const tokens = new TokenService({ ...deps, keys });
  return {
    sessions,
    tokens,
    links: new SignInLinkService({
      database,
      users,
      sessions,
      oneTimeTokens: new OneTimeTokens({ database: plain, runtime, box: keys.box }),
    }),
    admin: new UserAdminService({ ...deps, users, sessions, tokens }),
  };
}

describe.skipIf(!canRace)('what ends the access of a user, on another daemon (needs PostgreSQL)', () => {
  it('ends the session of a link that is used meanwhile', async () => {
    await using race = await openRace();
    await addUser(race.one, 'user_boss', 'admin');
    await addUser(race.one, 'user_ann');
    const { token } = await servicesOf(race.one).links.create({ userId: 'user_ann', role: 'user' });
    const [redeemed, disabled] = await overlap(
      race,
      (storage) => servicesOf(storage, race.one.database).links.redeem(token, {}),
      (storage) =>
        servicesOf(storage).admin.update({ userId: 'user_boss', role: 'admin' }, 'user_ann', {
          disabled: true,
        }),
    );
    expect([redeemed, disabled]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await race.one.database.read.selectFrom('sessions').select('id').execute()).toEqual([]);
  });

  it('leaves no token of a device that was removed', async () => {
    await using race = await openRace();
    await addUser(race.one, 'user_ann');
    const gone = { userId: 'user_ann', role: 'user' as const, deviceId: 'device_gone' };
    await expect(
      servicesOf(race.one).tokens.create(gone, { name: 'late', scopes: ['tasks:read'] }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await race.one.database.read.selectFrom('api_tokens').select('id').execute()).toEqual([]);
  });
});
