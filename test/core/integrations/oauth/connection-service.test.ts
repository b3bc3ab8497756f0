import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Vendor, wireName } from '../../../../src/contract/vendors.ts';
import type { Flags } from '../../../../src/core/config/config.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { breakTable } from '../../../helpers/break-table.ts';
import { auditedEvents } from '../../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { signedInBrowser } from '../../../helpers/test-browser.ts';
import { until } from '../../../helpers/tasks.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { startVendors, type VendorStub } from '../../../helpers/vendor-stub.ts';

const HOUR = 3_600_000;
const tokenPath = { jira: '/atlassian/oauth/token', linear: '/linear/oauth/token' } as const;

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

/** A user who has connected the product. */
async function connected(vendor: Vendor, name = 'ann'): Promise<string> {
  const { browser, userId } = await signedInBrowser(daemon, name);
  const response = await browser.open(await browser.agree(`/api/auth/${wireName(vendor)}`));
  expect(response.status).toBe(302);
  return userId;
}
const refreshes = async (provider: 'jira' | 'linear') =>
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
  it('returns an access token without expiry unchanged', async () => {
    const userId = await connected('github');
    const first = await daemon.app.connections.accessToken(userId, 'github');
    expect(first).toMatch(/^gho_/);
    clock += 365 * 24 * HOUR;
    expect(await daemon.app.connections.accessToken(userId, 'github')).toBe(first);
  });

  it.each([
    ['jira', HOUR],
    ['linear', 24 * HOUR - 1000],
  ] as const)(
    'refreshes an access token of %s in its last minute, and not before',
    async (provider, lifetime) => {
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
    },
  );

  it.each(['jira', 'linear'] as const)(
    'refreshes an access token of %s once for simultaneous callers',
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

  it('refreshes the access token of each user separately', async () => {
    const [ann, bob] = [await connected('jira', 'ann'), await connected('jira', 'bob')];
    clock += 2 * HOUR;
    const { connections } = daemon.app;
    const tokens = await Promise.all([ann, bob].map((user) => connections.accessToken(user, 'jira')));
    expect(tokens[0]).not.toBe(tokens[1]);
    expect(await refreshes('jira')).toHaveLength(2);
  });

  it.each([
    ['jira', 'Jira'],
    ['linear', 'Linear'],
  ] as const)('a revoked access token of %s requires a new connection', async (provider, vendor) => {
    const { connections } = daemon.app;
    const userId = await connected(provider);
    await vendors.reset();
    clock += 48 * HOUR;
    const answer = `wrong_state: ${vendor} must be connected again: the access was taken back, or not used for too long`;
    expect(await outcome(connections.accessToken(userId, provider))).toBe(answer);
    expect(await connections.find(userId, provider)).toBeDefined();
  });

  it('an access token that cannot be refreshed requires a new connection', async () => {
    await restart({ 'integrations.jira.scopes': ['read:me', 'read:jira-work'] });
    const userId = await connected('jira');
    clock += 2 * HOUR;
    expect(await outcome(daemon.app.connections.accessToken(userId, 'jira'))).toBe(
      'wrong_state: Jira must be connected again: the access has expired',
    );
    expect(await refreshes('jira')).toEqual([]);
  });

  it('retries a refresh later when the vendor is unreachable', async () => {
    const userId = await connected('linear');
    clock += 48 * HOUR;
    const gone = await startVendors();
    await gone[Symbol.asyncDispose]();
    await restart({ 'integrations.linear.tokenUrl': gone.url }, true);
    expect(await outcome(daemon.app.connections.accessToken(userId, 'linear'))).toMatch(
      /^unavailable: Linear does not answer/,
    );
    await restart({}, true);
    expect(await daemon.app.connections.accessToken(userId, 'linear')).toMatch(/^lin_oauth_/);
  });

  it('does not lose a refreshed token that cannot be stored', async () => {
    const userId = await connected('linear');
    clock += 48 * HOUR;
    const { connections, database } = daemon.app;
    const mend = await breakTable(database, 'connections', { on: 'update', message: 'full' });
    await expect(connections.accessToken(userId, 'linear')).rejects.toThrow('full');
    await mend();
    expect(await connections.accessToken(userId, 'linear')).toMatch(/^lin_oauth_/);
    expect(await refreshes('linear')).toHaveLength(1);
    clock += 48 * HOUR;
    await connections.accessToken(userId, 'linear');
    expect(await refreshes('linear')).toHaveLength(2);
  });

  it('refreshes again with the old refresh token when no new one was given', async () => {
    const sent: string[] = [];
    await using vendor = await startLoopbackServer((response, { body }) => {
      sent.push(new URLSearchParams(body).get('refresh_token') ?? '');
      const answer = { access_token: `token-${sent.length}`, token_type: 'bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    const userId = await connected('linear');
    await restart({ 'integrations.linear.tokenUrl': vendor.url }, true);
    for (const token of ['token-1', 'token-2']) {
      clock += 48 * HOUR;
      expect(await daemon.app.connections.accessToken(userId, 'linear')).toBe(token);
    }
    expect(sent[0]).toBeTruthy();
    expect(sent[1]).toBe(sent[0]);
  });

  it('a refreshed token does not replace a newer connection', async () => {
    const { connections } = daemon.app;
    const userId = await connected('linear');
    clock += 48 * HOUR;
    await vendors.configure({ slow: 30 });
    const refreshed = connections.accessToken(userId, 'linear');
    await until(async () => expect(await refreshes('linear')).toHaveLength(1));
    const none = { refreshToken: undefined, expiresAt: undefined, scopes: undefined };
    const profile = { accountId: '2', login: '', name: '', email: undefined, avatarUrl: undefined };
    await connections.connect(
      { userId, provider: 'linear', client: {} },
      { tokens: { accessToken: 'newer', ...none }, profile: { ...profile, account: {}, scopes: undefined } },
    );
    await refreshed;
    expect(await connections.accessToken(userId, 'linear')).toBe('newer');
  });

  it('refuses an access token to a user without a connection', async () => {
    expect(await outcome(daemon.app.connections.accessToken('user_owner', 'github'))).toBe(
      'wrong_state: GitHub is not connected',
    );
  });
});

describe.skipIf(!hasSharedFixtures)('disconnecting', () => {
  it.each([
    ['github', true, [{ v: 'github', how: 'grant' }]],
    ['jira', false, []],
    ['linear', true, [{ v: 'linear' }]],
  ] as const)(
    'disconnecting %s revokes the grant when possible, and deletes the connection',
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
  ])('deletes the connection when the vendor %s', async (_, spoil) => {
    const userId = await connected('github');
    await spoil();
    expect(await daemon.app.connections.disconnect(userId, 'github')).toBe(false);
    expect(await row(userId)).toBeUndefined();
  });

  it('disconnecting waits for a running refresh', async () => {
    const { connections } = daemon.app;
    const userId = await connected('linear');
    clock += 48 * HOUR;
    await vendors.configure({ slow: 30 });
    const token = connections.accessToken(userId, 'linear');
    await until(async () => expect(await refreshes('linear')).toHaveLength(1));
    expect(await connections.disconnect(userId, 'linear')).toBe(true);
    const [revocation] = await vendors.requests('/linear/oauth/revoke');
    expect(revocation?.body['access_token']).toBe(await token);
  });
});
