import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../../src/contract/oauth.ts';
import type { Flags } from '../../../../src/core/config/config.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { auditedEvents } from '../../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { signedInBrowser } from '../../../helpers/test-browser.ts';
import { until } from '../../../helpers/tasks.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { startVendors, type VendorStub } from '../../../helpers/vendor-stub.ts';

const HOUR = 3_600_000;
const tokenPath = { tracker_a: '/atlassian/oauth/token', tracker_b: '/linear/oauth/token' } as const;

let vendors: VendorStub;
let daemon: TestDaemon;
let clock: number;

/** Another daemon, perhaps on the same folder. */
async function restart(flags: Flags = {}, keepsFolder = false): Promise<void> {
  const runtime = { ...systemRuntime, now: () => new Date(clock) };
  const { home } = daemon ?? {};
  await (keepsFolder ? daemon?.stop() : daemon?.[Symbol.asyncDispose]());
  daemon = await startDaemon({
    runtime,
    ...(keepsFolder && home !== undefined && { home }),
    flags: { ...vendors.flags, 'system.registrationMode': 'open', ...flags },
  });
}

beforeEach(async () => {
  if (!hasSharedFixtures) return;
  clock = Date.parse('2026-05-01T12:00:00.000Z');
  vendors = await startVendors();
  await restart();
});
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await vendors?.[Symbol.asyncDispose]();
});

/** A user who has connected the provider. */
async function connected(provider: ProviderName, name = 'ann'): Promise<string> {
  const { browser, userId } = await signedInBrowser(daemon, name);
  const response = await browser.open(await browser.agree(`/api/auth/${provider}`));
  expect(response.status).toBe(302);
  return userId;
}
const refreshes = async (provider: 'tracker_a' | 'tracker_b') =>
  (await vendors.requests(tokenPath[provider])).filter(({ body }) => body['grant_type'] === 'refresh_token');
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : error),
  );
const row = async (userId: string) =>
  daemon.app.database.read
    .selectFrom('connections')
    .selectAll()
    .where('owner_id', '=', userId)
    .executeTakeFirst();

describe.skipIf(!hasSharedFixtures)('an access token', () => {
  it('that lasts is the one that was given', async () => {
    const userId = await connected('codehost');
    const first = await daemon.app.connections.accessToken(userId, 'codehost');
    expect(first).toMatch(/^gho_/);
    clock += 365 * 24 * HOUR;
    expect(await daemon.app.connections.accessToken(userId, 'codehost')).toBe(first);
  });

  it.each([
    ['tracker_a', HOUR],
    ['tracker_b', 24 * HOUR - 1000],
  ] as const)('of %s is refreshed in its last minute, and not before', async (provider, lifetime) => {
    const { connections } = daemon.app;
    const userId = await connected(provider);
    const first = await connections.accessToken(userId, provider);
    clock += lifetime - 60_000;
    expect(await connections.accessToken(userId, provider)).toBe(first);
    clock += 1;
    const second = await connections.accessToken(userId, provider);
    expect(second).not.toBe(first);
    clock += lifetime;
    const third = await connections.accessToken(userId, provider);
    expect([first, second]).not.toContain(third);
    const sent = (await refreshes(provider)).map(({ body }) => body['refresh_token']);
    expect(new Set(sent).size).toBe(2);
    const bytes = JSON.stringify(await row(userId));
    for (const secret of [first, second, third, ...sent]) expect(bytes).not.toContain(secret);
  });

  it.each(['tracker_a', 'tracker_b'] as const)(
    'of %s is refreshed once for all who ask at the same time',
    async (provider) => {
      const { connections } = daemon.app;
      const userId = await connected(provider);
      clock += 48 * HOUR;
      await vendors.configure({ slow: 30 });
      const tokens = await Promise.all(
        Array.from({ length: 100 }, () => connections.accessToken(userId, provider)),
      );
      expect(new Set(tokens).size).toBe(1);
      expect(await refreshes(provider)).toHaveLength(1);
      expect(await connections.accessToken(userId, provider)).toBe(tokens[0]);
    },
  );

  it('of each user is refreshed for that user alone', async () => {
    const [ann, bob] = [await connected('tracker_a', 'ann'), await connected('tracker_a', 'bob')];
    clock += 2 * HOUR;
    const { connections } = daemon.app;
    const tokens = await Promise.all([ann, bob].map((user) => connections.accessToken(user, 'tracker_a')));
    expect(tokens[0]).not.toBe(tokens[1]);
    expect(await refreshes('tracker_a')).toHaveLength(2);
  });

  it.each([
    ['tracker_a', 'Jira'],
    ['tracker_b', 'Linear'],
  ] as const)('of %s that was taken back has to be connected again', async (provider, vendor) => {
    const { connections } = daemon.app;
    const userId = await connected(provider);
    await vendors.reset();
    clock += 48 * HOUR;
    const answer = `wrong_state: ${vendor} must be connected again: the access was taken back, or not used for too long`;
    expect(await outcome(connections.accessToken(userId, provider))).toBe(answer);
    expect(await connections.find(userId, provider)).toBeDefined();
  });

  it('that cannot be refreshed has to be connected again', async () => {
    await restart({ 'integrations.tracker_a.scopes': ['read:me', 'read:jira-work'] });
    const userId = await connected('tracker_a');
    clock += 2 * HOUR;
    expect(await outcome(daemon.app.connections.accessToken(userId, 'tracker_a'))).toBe(
      'wrong_state: Jira must be connected again: the access has expired',
    );
    expect(await refreshes('tracker_a')).toEqual([]);
  });

  it('is got later where the vendor is away', async () => {
    const userId = await connected('tracker_b');
    clock += 48 * HOUR;
    const gone = await startVendors();
    await gone[Symbol.asyncDispose]();
    await restart({ 'integrations.tracker_b.tokenUrl': gone.url }, true);
    expect(await outcome(daemon.app.connections.accessToken(userId, 'tracker_b'))).toMatch(
      /^unavailable: Linear does not answer/,
    );
    await restart({}, true);
    expect(await daemon.app.connections.accessToken(userId, 'tracker_b')).toMatch(/^lin_oauth_/);
  });

  it('is not lost where it cannot be stored', async () => {
    const userId = await connected('tracker_b');
    clock += 48 * HOUR;
    const { connections, database } = daemon.app;
    const run = (text: string) => database.write(({ db }) => sql.raw(text).execute(db));
    await run(`create trigger full before update on connections begin select raise(abort, 'full'); end`);
    await expect(connections.accessToken(userId, 'tracker_b')).rejects.toThrow('full');
    await run('drop trigger full');
    expect(await connections.accessToken(userId, 'tracker_b')).toMatch(/^lin_oauth_/);
    expect(await refreshes('tracker_b')).toHaveLength(1);
    clock += 48 * HOUR;
    await connections.accessToken(userId, 'tracker_b');
    expect(await refreshes('tracker_b')).toHaveLength(2);
  });

  it('that was given without a new refresh token is refreshed with the old one', async () => {
    const sent: string[] = [];
    await using vendor = await startLoopbackServer((response, { body }) => {
      sent.push(new URLSearchParams(body).get('refresh_token') ?? '');
      const answer = { access_token: `token-${sent.length}`, token_type: 'bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    const userId = await connected('tracker_b');
    await restart({ 'integrations.tracker_b.tokenUrl': vendor.url }, true);
    for (const token of ['token-1', 'token-2']) {
      clock += 48 * HOUR;
      expect(await daemon.app.connections.accessToken(userId, 'tracker_b')).toBe(token);
    }
    expect(sent[0]).toBeTruthy();
    expect(sent[1]).toBe(sent[0]);
  });

  it('does not take the place of one that was connected meanwhile', async () => {
    const { connections } = daemon.app;
    const userId = await connected('tracker_b');
    clock += 48 * HOUR;
    await vendors.configure({ slow: 30 });
    const refreshed = connections.accessToken(userId, 'tracker_b');
    await until(async () => expect(await refreshes('tracker_b')).toHaveLength(1));
    const none = { refreshToken: undefined, expiresAt: undefined, scopes: undefined };
    const profile = { accountId: '2', login: '', name: '', email: undefined, avatarUrl: undefined };
    await connections.connect(
      { userId, provider: 'tracker_b', client: {} },
      { tokens: { accessToken: 'newer', ...none }, profile: { ...profile, account: {}, scopes: undefined } },
    );
    await refreshed;
    expect(await connections.accessToken(userId, 'tracker_b')).toBe('newer');
  });

  it('of nobody is refused', async () => {
    expect(await outcome(daemon.app.connections.accessToken('user_owner', 'codehost'))).toBe(
      'wrong_state: GitHub is not connected',
    );
  });
});

describe.skipIf(!hasSharedFixtures)('disconnecting', () => {
  it.each([
    ['codehost', true, [{ v: 'github', how: 'grant' }]],
    ['tracker_a', false, []],
    ['tracker_b', true, [{ v: 'linear' }]],
  ] as const)(
    '%s revokes the grant where that is possible, and forgets it',
    async (provider, isRevoked, revoked) => {
      const { connections } = daemon.app;
      const userId = await connected(provider);
      expect(await connections.disconnect(userId, provider)).toBe(isRevoked);
      expect(await vendors.revoked()).toEqual(revoked);
      expect(await row(userId)).toBeUndefined();
      expect((await auditedEvents(daemon)).at(-1)).toBe('auth.disconnected ok');
      expect(await outcome(connections.disconnect(userId, provider))).toMatch(/^wrong_state/);
    },
  );

  it.each([
    ['does not know the token', () => vendors.reset()],
    ['is away', () => vendors[Symbol.asyncDispose]()],
  ])('forgets the connection where the vendor %s', async (_, spoil) => {
    const userId = await connected('codehost');
    await spoil();
    expect(await daemon.app.connections.disconnect(userId, 'codehost')).toBe(false);
    expect(await row(userId)).toBeUndefined();
  });

  it('waits for a refresh under way', async () => {
    const { connections } = daemon.app;
    const userId = await connected('tracker_b');
    clock += 48 * HOUR;
    await vendors.configure({ slow: 30 });
    const token = connections.accessToken(userId, 'tracker_b');
    await until(async () => expect(await refreshes('tracker_b')).toHaveLength(1));
    expect(await connections.disconnect(userId, 'tracker_b')).toBe(true);
    const [revocation] = await vendors.requests('/linear/oauth/revoke');
    expect(revocation?.body['access_token']).toBe(await token);
  });
});
