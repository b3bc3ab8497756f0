import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { InviteService } from '../../../src/core/auth/invite-service.ts';
import { Registration } from '../../../src/core/auth/registration.ts';
import { SetupCode } from '../../../src/core/auth/setup-code.ts';
import { UserStore } from '../../../src/core/auth/user-store.ts';
import { Config } from '../../../src/core/config/config.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { canRace, openRace } from '../../helpers/race.ts';
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

const signUp = (storage: TestStorage, name: string) =>
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
    const names = Array.from({ length: 20 }, (_, at) => `user${at}`);
    const users = await Promise.all(
      names.flatMap((name) => [signUp(race.one, `${name}a`), signUp(race.other, `${name}b`)]),
    );
    expect(users.filter(({ role }) => role === 'admin')).toHaveLength(1);
  });
});
