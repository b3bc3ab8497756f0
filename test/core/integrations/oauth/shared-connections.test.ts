import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../../src/core/audit/audit-log.ts';
import { Config } from '../../../../src/core/config/config.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { ConnectionService } from '../../../../src/core/integrations/oauth/connection-service.ts';
import { ConnectionStore } from '../../../../src/core/integrations/oauth/connection-store.ts';
import type { TokenGrants } from '../../../../src/core/integrations/oauth/token-grants.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { KeyRing } from '../../../../src/core/secrets/key-ring.ts';
import { hasPostgres } from '../../../helpers/postgres-server.ts';
import { leaseWorld } from '../../cluster/lease-world.ts';

const HOUR_MS = 3_600_000;
const keys = new KeyRing(Buffer.alloc(32, 7));

describe.skipIf(!hasPostgres)('a connection that daemons share', () => {
  it('spends each refresh token once, however many daemons need a new access token', async () => {
    await using world = await leaseWorld(3);
    const { runtime, advance } = world;
    const spent: string[] = [];
    /** As vendors do: a refresh token is valid once, and another use takes the grant back. */
    let valid = 'refresh-0';
    const refresh = async (_: string, token: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (token !== valid) throw new AppError('unauthenticated', 'The grant was taken back');
      spent.push(token);
      valid = `refresh-${spent.length}`;
      const expiresAt = new Date(runtime.now().getTime() + HOUR_MS).toISOString();
      return { accessToken: `access-${spent.length}`, refreshToken: valid, expiresAt };
    };
    const services = world.holders.map(
      ({ database, leases }) =>
        new ConnectionService({
          database,
          leases,
          store: new ConnectionStore(database, keys.box),
          grants: { refresh } as unknown as TokenGrants,
          audit: new AuditLog(runtime, database.engine),
          config: new Config({
            env: {},
            settingsFile: join(tmpdir(), 'svc-there-is-no-such-folder', 's.json'),
          }),
          fetch: () => Promise.reject(new Error('Nothing is fetched')),
          log: silentLog,
          runtime,
        }),
    );
    const owner = { userId: 'user_ann', provider: 'jira', client: {} } as const;
    await world.holders[0]?.database.write(({ db }) =>
      db
        .insertInto('users')
        .values({
          id: 'user_ann',
          email: 'ann@example.org',
          name: 'ann',
          role: 'user',
          onboarding_completed: 0,
          created_at: runtime.now().toISOString(),
        })
        .execute(),
    );
    const tokens = { accessToken: 'access-0', refreshToken: valid, expiresAt: runtime.now().toISOString() };
    const profile = { accountId: '1', account: {}, login: 'ann' };
    await services[0]?.connect(owner, { tokens, profile } as never);
    for (let round = 1; round <= 5; round++) {
      const got = await Promise.all(
        [...services, ...services].map((service) => service.accessToken('user_ann', 'jira')),
      );
      expect(new Set(got)).toEqual(new Set([`access-${round}`]));
      expect(spent).toHaveLength(round);
      advance(HOUR_MS);
    }
  });
});
