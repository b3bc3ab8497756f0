import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import type { ProviderName } from '../../../src/contract/oauth.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import type { InboundDeliveryRow } from '../../../src/core/storage/rows/inbound.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { signedInBrowser, TestBrowser } from '../../helpers/test-browser.ts';
import { startVendors, type VendorStub } from '../../helpers/vendor-stub.ts';

const baseUrl = 'https://svc.example.com';
const secret = { 'webhooks.codehost.signingSecret': 'planted-signing-secret' };
const rules = { 'webhooks.codehost.rules': { 'octo/web': {}, 'octo/*': {} } };

/** A delivery that came in, as the log keeps it. */
const delivery = (row: Partial<InboundDeliveryRow>): InboundDeliveryRow => ({
  id: systemRuntime.newId('x'),
  provider: 'codehost',
  delivery_id: systemRuntime.newId('x'),
  body_hash: 'x',
  event: 'issues',
  action: 'labeled',
  status: 'accepted',
  reason: null,
  task_id: null,
  source_id: null,
  sender: null,
  copies: 1,
  bytes: 2,
  payload: null,
  received_at: '2026-05-01T12:00:00.000Z',
  last_received_at: '2026-05-01T12:00:00.000Z',
  replay_of: null,
  ...row,
});
const keep = ({ app }: TestDaemon, ...rows: Partial<InboundDeliveryRow>[]) =>
  app.database.write(async ({ db }) => {
    await db.insertInto('inbound_deliveries').values(rows.map(delivery)).execute();
  });

describe('the webhooks that come in', () => {
  it('are none at first', async () => {
    await using daemon = await startDaemon();
    expect(await daemon.client.integrations.getWebhooksStatus()).toEqual({
      codehost: { configured: false, eventCount: 0 },
      tracker_a: { configured: false, eventCount: 0 },
      tracker_b: { configured: false, eventCount: 0 },
    });
  });

  it('are counted with their copies, without what was refused or replayed', async () => {
    await using daemon = await startDaemon({ env: { CODEHOST_WEBHOOK_SECRET: 'planted' } });
    await keep(
      daemon,
      { copies: 3, last_received_at: '2026-05-01T12:30:00.000Z' },
      { status: 'ignored' },
      { status: 'duplicate' },
      { status: 'refused', copies: 50, last_received_at: '2026-05-02T00:00:00.000Z' },
      { replay_of: 'x', copies: 50, last_received_at: '2026-05-02T00:00:00.000Z' },
      { provider: 'tracker_b', status: 'ignored' },
      { provider: 'tracker_a', status: 'refused' },
    );
    expect(await daemon.client.integrations.getWebhooksStatus()).toEqual({
      codehost: { configured: true, eventCount: 5, lastEvent: '2026-05-01T12:30:00.000Z' },
      tracker_a: { configured: false, eventCount: 0 },
      tracker_b: { configured: false, eventCount: 1, lastEvent: '2026-05-01T12:00:00.000Z' },
    });
  });

  it('are set up with a secret as soon as one has come that was signed with it', async () => {
    await using daemon = await startDaemon();
    const isConfigured = async () => (await daemon.client.integrations.getCodehost()).webhookConfigured;
    const setSecret = async (value: string | null) =>
      daemon.client.config.update({ params: { key: 'webhooks.codehost.signingSecret' }, body: { value } });
    await setSecret('planted-signing-secret');
    await keep(daemon, { provider: 'tracker_a' }, { status: 'refused' }, { replay_of: 'x' });
    expect(await isConfigured()).toBe(false);
    await keep(daemon, {});
    expect(await isConfigured()).toBe(true);
    await setSecret(null);
    expect(await isConfigured()).toBe(false);
  });
});

it('says that nothing is connected, and which label makes tasks', async () => {
  await using daemon = await startDaemon({ flags: { 'webhooks.codehost.aiTaskLabel': 'robot' } });
  const { integrations } = daemon.client;
  expect(await integrations.getCodehost()).toEqual({
    connected: false,
    scopes: [],
    webhookConfigured: false,
    aiTaskLabel: 'robot',
  });
  expect(await integrations.getTrackerA()).toEqual({ connected: false, scopes: [] });
  expect(await integrations.getTrackerB()).toEqual({ connected: false, teams: [] });
  for (const [path, vendor] of [
    ['codehost', 'GitHub'],
    ['tracker_a', 'Jira'],
    ['tracker_b', 'Linear'],
  ])
    expect(
      await send(daemon, 'DELETE', `/api/integrations/${path}`, undefined, daemon.headers),
    ).toMatchObject({
      status: 400,
      body: { error: `${vendor} is not connected` },
    });
});

describe.skipIf(!hasSharedFixtures)('an account at a vendor', () => {
  let vendors: VendorStub;
  let daemon: TestDaemon;
  let clock: { wall: number; monotonic: number };

  /** Another daemon, perhaps on the same folder. */
  async function restart(flags: Flags = {}, home?: string): Promise<void> {
    await (home === undefined ? daemon?.[Symbol.asyncDispose]() : daemon.stop());
    clock = { wall: Date.parse('2026-05-01T12:00:00.000Z'), monotonic: 0 };
    const runtime = {
      ...systemRuntime,
      now: () => new Date(clock.wall),
      monotonic: () => clock.monotonic,
    };
    daemon = await startDaemon({
      runtime,
      ...(home !== undefined && { home }),
      flags: { ...vendors.flags, ...flags },
    });
  }
  beforeEach(async () => {
    vendors = await startVendors();
    await restart();
  });
  afterEach(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await vendors?.[Symbol.asyncDispose]();
  });

  /** The owner of the machine, who connects the provider. */
  async function connect(provider: ProviderName): Promise<void> {
    const browser = new TestBrowser(daemon.url);
    browser.setCookie(sessionCookie, daemon.headers.cookie.split('=')[1]);
    const response = await browser.open(await browser.agree(`/api/auth/${provider}`));
    expect(response.status).toBe(302);
  }
  const clientOf = (browser: TestBrowser): Client =>
    createClient(contract, {
      baseUrl: daemon.url,
      fetch: (url, init) => fetch(url, init),
      headers: { cookie: `${sessionCookie}=${browser.cookie(sessionCookie)}` },
    });
  const hookRequests = async () => (await vendors.requests()).filter(({ path }) => path.endsWith('/hooks'));

  it('is shown, and gone after it was taken back', async () => {
    const { integrations } = daemon.client;
    for (const provider of ['codehost', 'tracker_a', 'tracker_b'] as const) await connect(provider);
    expect(await integrations.getCodehost()).toEqual({
      connected: true,
      username: 'octocat',
      avatarUrl: 'https://github.com/images/error/octocat_happy.gif',
      scopes: ['read:user', 'user:email', 'repo'],
      webhookConfigured: false,
      aiTaskLabel: 'ai-task',
    });
    expect(await integrations.getTrackerA()).toEqual({
      connected: true,
      cloudId: '1324a887-45db-1bf4-1e99-ef0ff456d421',
      siteName: 'Site name',
      scopes: ['read:me', 'read:jira-work', 'write:jira-work', 'offline_access'],
      tokenExpiry: '2026-05-01T13:00:00.000Z',
    });
    expect(await integrations.getTrackerB()).toEqual({
      connected: true,
      workspaceName: 'Webhooks Inc',
      workspaceId: '7a661544-df08-4cd1-a1e3-5ec611898806',
      teams: [
        { id: '9e383f51-2629-4f19-97ff-451cc2f0a0ad', name: 'Webhooks', key: 'WEB' },
        { id: '92d25fa4-fb1c-449f-b314-47f82e8f280d', name: 'Port', key: 'POR' },
      ],
    });

    expect(await integrations.disconnectCodehost()).toEqual({
      revoked: true,
      message: 'GitHub disconnected and access revoked',
    });
    expect(await integrations.disconnectTrackerA()).toEqual({
      revoked: false,
      message:
        'Jira disconnected and its tokens deleted. Revoke the access at https://id.atlassian.com/manage-profile/apps, Connected apps',
    });
    expect(await integrations.disconnectTrackerB()).toMatchObject({ revoked: true });
    expect(await vendors.revoked()).toEqual([{ v: 'github', how: 'grant' }, { v: 'linear' }]);
    expect(await integrations.getCodehost()).toMatchObject({ connected: false, scopes: [] });
    expect(await integrations.getTrackerA()).toEqual({ connected: false, scopes: [] });
    expect(await integrations.getTrackerB()).toEqual({ connected: false, teams: [] });
    expect((await auditedEvents(daemon)).slice(-3)).toEqual(Array(3).fill('auth.disconnected ok'));
  });

  it('is the own one of whoever asks, who disconnects it without touching those of others', async () => {
    await connect('tracker_b');
    const { browser } = await signedInBrowser(daemon, 'ann');
    const ann = clientOf(browser).integrations;
    expect(await ann.getTrackerB()).toEqual({ connected: false, teams: [] });
    await browser.open(await browser.agree('/api/auth/tracker_b'));
    expect(await ann.getTrackerB()).toMatchObject({ connected: true });
    await daemon.client.integrations.disconnectTrackerB();
    expect(await ann.getTrackerB()).toMatchObject({ connected: true });
    await connect('tracker_b');
    expect(await ann.disconnectTrackerB()).toMatchObject({ revoked: true });
    expect(await ann.getTrackerB()).toEqual({ connected: false, teams: [] });
    expect(await daemon.client.integrations.getTrackerB()).toMatchObject({ connected: true });
  });

  it('of another user is disconnected by administrators only', async () => {
    await connect('tracker_b');
    const ann = await signedInBrowser(daemon, 'ann');
    const bob = await signedInBrowser(daemon, 'bob');
    await ann.browser.open(await ann.browser.agree('/api/auth/tracker_b'));
    const query = { userId: ann.userId };
    for (const userId of [ann.userId, 'user_owner', 'user_nobody'])
      await expect(
        clientOf(bob.browser).integrations.disconnectTrackerB({ query: { userId } }),
      ).rejects.toMatchObject({ status: 404, message: 'User not found' });
    expect(await clientOf(ann.browser).integrations.getTrackerB()).toMatchObject({ connected: true });
    await expect(
      daemon.client.integrations.disconnectTrackerB({ query: { userId: 'user_nobody' } }),
    ).rejects.toMatchObject({ status: 404, message: 'User not found' });
    expect(await daemon.client.integrations.disconnectTrackerB({ query })).toMatchObject({ revoked: true });
    expect(await clientOf(ann.browser).integrations.getTrackerB()).toEqual({ connected: false, teams: [] });
    expect(await daemon.client.integrations.getTrackerB()).toMatchObject({ connected: true });
    const { entries } = await daemon.client.audit.list({
      query: { tool: 'auth.disconnected', limit: 1 },
    });
    expect(entries).toMatchObject([
      { userId: 'user_owner', arguments: { provider: 'tracker_b', ownerId: ann.userId } },
    ]);
    await expect(daemon.client.integrations.disconnectTrackerB({ query })).rejects.toMatchObject({
      status: 400,
      message: 'Linear is not connected',
    });
  });

  it('is shown without asking the vendor, also after its token has expired', async () => {
    await connect('tracker_a');
    const before = (await vendors.requests()).length;
    clock.wall += 48 * 3_600_000;
    expect(await daemon.client.integrations.getTrackerA()).toMatchObject({
      connected: true,
      tokenExpiry: '2026-05-01T13:00:00.000Z',
    });
    expect(await vendors.requests()).toHaveLength(before);
  });

  it.each([
    ['codehost', 'GitHub', 'at GitHub, Settings > Applications > Authorized OAuth Apps'],
    ['tracker_b', 'Linear', 'at Linear, Settings > Applications'],
  ] as const)('of %s is forgotten where %s does not answer', async (provider, vendor, where) => {
    await connect(provider);
    await vendors[Symbol.asyncDispose]();
    const answer = await send(daemon, 'DELETE', `/api/integrations/${provider}`, undefined, daemon.headers);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        revoked: false,
        message: `${vendor} disconnected and its tokens deleted. Revoke the access ${where}`,
      },
    });
    expect(
      (await send(daemon, 'GET', `/api/integrations/${provider}`, undefined, daemon.headers)).body,
    ).toMatchObject({
      connected: false,
    });
  });

  describe('may see the hook', () => {
    const ours = `${baseUrl}/api/webhooks/codehost`;
    const hook = (config: object, active = true) => ({ id: 1, active, events: ['issues'], config });
    const isConfigured = async () => (await daemon.client.integrations.getCodehost()).webhookConfigured;
    const start = async (flags: Flags = {}, hooks: object[] = [hook({ url: ours })]) => {
      const { 'integrations.codehost.scopes': scopes, ...others } = flags;
      await restart({ ...(scopes && { 'integrations.codehost.scopes': scopes }) });
      // At its base URL no browser of a test finds the daemon.
      await connect('codehost');
      await restart({ 'server.baseUrl': baseUrl, ...secret, ...rules, ...others }, daemon.home);
      await vendors.configure({ hooks });
    };

    it('of a repository that a rule names', async () => {
      await start({ 'server.baseUrl': `${baseUrl}/` });
      expect(await isConfigured()).toBe(true);
      expect(await hookRequests()).toMatchObject([
        {
          path: '/github/api/repos/octo/web/hooks',
          headers: { authorization: expect.stringMatching(/^Bearer gho_/) as string },
        },
      ]);
    });

    it.each<[string, object[]]>([
      ['leads elsewhere', [hook({ url: 'https://evil.example/api/webhooks/codehost' })]],
      ['is for another vendor', [hook({ url: `${baseUrl}/api/webhooks/tracker_a` })]],
      ['is switched off', [hook({ url: ours }, false)]],
      ['has no address', [hook({})]],
      ['is not what GitHub sends', [{ url: ours }]],
    ])('but not one that %s', async (_, hooks) => {
      await start({}, hooks);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toHaveLength(1);
    });

    it.each<[string, Flags]>([
      ['a base URL', { 'server.baseUrl': undefined }],
      ['a secret', { 'webhooks.codehost.signingSecret': undefined }],
      [
        'a repository',
        { 'webhooks.codehost.rules': { 'octo/*': {}, odd: {}, 'octo/off': { enabled: false } } },
      ],
      ['the scope', { 'integrations.codehost.scopes': ['read:user', 'public_repo'] }],
    ])('not without %s, and asks for nothing then', async (_, flags) => {
      await start(flags);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toEqual([]);
    });

    it('of five repositories at most', async () => {
      const names = Array.from({ length: 8 }, (_, at) => [`octo/r${at}`, {}] as const);
      await start({ 'webhooks.codehost.rules': Object.fromEntries(names) }, []);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toHaveLength(5);
    });

    it('and is asked again after a minute, or when the rules change', async () => {
      await start({}, []);
      expect(await Promise.all([isConfigured(), isConfigured()])).toEqual([false, false]);
      await vendors.configure({ hooks: [hook({ url: ours })] });
      clock.monotonic += 59_999;
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toHaveLength(1);
      clock.monotonic += 1;
      expect(await isConfigured()).toBe(true);
      expect(await hookRequests()).toHaveLength(2);
    });

    it('not where the vendor takes the token no more, or is not there', async () => {
      await start();
      await vendors.configure({ expireTokens: true });
      expect(await isConfigured()).toBe(false);
      clock.monotonic += 60_000;
      await vendors[Symbol.asyncDispose]();
      expect(await isConfigured()).toBe(false);
    });
  });
});
