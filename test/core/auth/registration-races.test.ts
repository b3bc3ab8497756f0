import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { InviteService } from '../../../src/core/auth/invite-service.ts';
import { Registration } from '../../../src/core/auth/registration.ts';
import { SessionService } from '../../../src/core/auth/session-service.ts';
import { SessionStore } from '../../../src/core/auth/session-store.ts';
import { SetupCode } from '../../../src/core/auth/setup-code.ts';
import { TokenService } from '../../../src/core/auth/tokens/token-service.ts';
import { UserAdminService } from '../../../src/core/auth/user-admin-service.ts';
import { UserStore } from '../../../src/core/auth/user-store.ts';
import { Config } from '../../../src/core/config/config.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { addUser, canRace, openRace, overlap } from '../../helpers/race.ts';
import type { TestStorage } from '../../helpers/storage.ts';

function registrationOf({ database, bus }: TestStorage): Registration {
  const audit = new AuditLog(runtime, database.engine);
  return new Registration({
    database,
    bus,
    audit,
    runtime,
    users: new UserStore(database),
    invites: new InviteService({ database, audit, runtime }),
    setupCode: new SetupCode('/nowhere/setup-code'),
    config: new Config({
      env: {},
      settingsFile: '/nowhere/settings.json',
      flags: { 'system.registrationMode': 'open' },
    }),
  });
}

function userAdminOf({ database, bus }: TestStorage): UserAdminService {
  const reportBug = (error: unknown) => {
    throw error;
  };
  const audit = new AuditLog(runtime, database.engine);
  const deps = { database, bus, audit, runtime, reportBug };
  return new UserAdminService({
    ...deps,
    users: new UserStore(database),
    sessions: new SessionService({ ...deps, store: new SessionStore(database) }),
    tokens: new TokenService({ ...deps, keys: new KeyRing(Buffer.alloc(32)) }),
  });
}

const signUp = (name: string) => (storage: TestStorage) =>
  storage.database.write((transaction) =>
    registrationOf(storage).register(transaction, {
      email: `${name}@example.org`,
      name,
      isTrustedClient: true,
    }),
  );

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('register one first account, the administrator', async () => {
    await using race = await openRace();
    const registered = await overlap(race, signUp('ann'), signUp('bob'));
    expect(registered).toMatchObject([{ value: { role: 'admin' } }, { value: { role: 'user' } }]);
  });

  it('keep one administrator', async () => {
    await using race = await openRace();
    await addUser(race.one, 'user_ann', 'admin');
    await addUser(race.one, 'user_bob', 'admin');
    const demote = (id: string) => (storage: TestStorage) =>
      userAdminOf(storage).update({ userId: id, role: 'admin' }, id, { role: 'user' });
    const demoted = await overlap(race, demote('user_ann'), demote('user_bob'));
    expect(demoted).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'wrong_state' } }]);
  });
});
