import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import type { WireName } from '../../../src/contract/vendors.ts';
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
const secret = { 'webhooks.github.signingSecret': 'planted-signing-secret' };
const rules = { 'webhooks.github.rules': { 'octo/web': {}, 'octo/*': {} } };

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

describe('the status of inbound webhooks', () => {
  it('counts no webhooks at first', async () => {
    await using daemon = await startDaemon();
    expect(await daemon.client.integrations.getWebhooksStatus()).toEqual({
      codehost: { configured: false, eventCount: 0 },
      tracker_a: { configured: false, eventCount: 0 },
      tracker_b: { configured: false, eventCount: 0 },
    });
  });

  it('counts webhooks with their copies, without rejected and replayed ones', async () => {
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

  it('webhooks are configured once one arrived that was signed with the current secret', async () => {
    await using daemon = await startDaemon();
    const isConfigured = async () => (await daemon.client.integrations.getGithub()).webhookConfigured;
    const setSecret = async (value: string | null) =>
      daemon.client.config.update({ params: { key: 'webhooks.github.signingSecret' }, body: { value } });
    await setSecret('planted-signing-secret');
    await keep(daemon, { provider: 'tracker_a' }, { status: 'refused' }, { replay_of: 'x' });
    expect(await isConfigured()).toBe(false);
    await keep(daemon, {});
    expect(await isConfigured()).toBe(true);
    await setSecret(null);
    expect(await isConfigured()).toBe(false);
  });
});

it('reports that no account is connected, and which label creates tasks', async () => {
  await using daemon = await startDaemon({ flags: { 'webhooks.github.aiTaskLabel': 'robot' } });
  const { integrations } = daemon.client;
  expect(await integrations.getGithub()).toEqual({
    connected: false,
    scopes: [],
    webhookConfigured: false,
    aiTaskLabel: 'robot',
  });
  expect(await integrations.getJira()).toEqual({ connected: false, scopes: [] });
  expect(await integrations.getLinear()).toEqual({ connected: false, teams: [] });
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

describe.skipIf(!hasSharedFixtures)('a connected account', () => {
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
  async function connect(provider: WireName): Promise<void> {
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

  it('shows a connected account until it is disconnected', async () => {
    const { integrations } = daemon.client;
    for (const provider of ['codehost', 'tracker_a', 'tracker_b'] as const) await connect(provider);
    expect(await integrations.getGithub()).toEqual({
      connected: true,
      username: 'octocat',
      avatarUrl: 'https://github.com/images/error/octocat_happy.gif',
      scopes: ['read:user', 'user:email', 'repo'],
      webhookConfigured: false,
      aiTaskLabel: 'ai-task',
    });
    expect(await integrations.getJira()).toEqual({
      connected: true,
      cloudId: '1324a887-45db-1bf4-1e99-ef0ff456d421',
      siteName: 'Site name',
      scopes: ['read:me', 'read:jira-work', 'write:jira-work', 'offline_access'],
      tokenExpiry: '2026-05-01T13:00:00.000Z',
    });
    expect(await integrations.getLinear()).toEqual({
      connected: true,
      workspaceName: 'Webhooks Inc',
      workspaceId: '7a661544-df08-4cd1-a1e3-5ec611898806',
      teams: [
        { id: '9e383f51-2629-4f19-97ff-451cc2f0a0ad', name: 'Webhooks', key: 'WEB' },
        { id: '92d25fa4-fb1c-449f-b314-47f82e8f280d', name: 'Port', key: 'POR' },
      ],
    });

    expect(await integrations.disconnectGithub()).toEqual({
      revoked: true,
      message: 'GitHub disconnected and access revoked',
    });
    expect(await integrations.disconnectJira()).toEqual({
      revoked: false,
      message:
        'Jira disconnected and its tokens deleted. Revoke the access at https://id.atlassian.com/manage-profile/apps, Connected apps',
    });
    expect(await integrations.disconnectLinear()).toMatchObject({ revoked: true });
    expect(await vendors.revoked()).toEqual([{ v: 'github', how: 'grant' }, { v: 'linear' }]);
    expect(await integrations.getGithub()).toMatchObject({ connected: false, scopes: [] });
    expect(await integrations.getJira()).toEqual({ connected: false, scopes: [] });
    expect(await integrations.getLinear()).toEqual({ connected: false, teams: [] });
    expect((await auditedEvents(daemon)).slice(-3)).toEqual(Array(3).fill('auth.disconnected ok'));
  });

  it('shows each user their own account, and disconnects only that one', async () => {
    await connect('tracker_b');
    const { browser } = await signedInBrowser(daemon, 'ann');
    const ann = clientOf(browser).integrations;
    expect(await ann.getLinear()).toEqual({ connected: false, teams: [] });
    await browser.open(await browser.agree('/api/auth/tracker_b'));
    expect(await ann.getLinear()).toMatchObject({ connected: true });
    await daemon.client.integrations.disconnectLinear();
    expect(await ann.getLinear()).toMatchObject({ connected: true });
    await connect('tracker_b');
    expect(await ann.disconnectLinear()).toMatchObject({ revoked: true });
    expect(await ann.getLinear()).toEqual({ connected: false, teams: [] });
    expect(await daemon.client.integrations.getLinear()).toMatchObject({ connected: true });
  });

  it('only an administrator disconnects the account of another user', async () => {
    await connect('tracker_b');
    const ann = await signedInBrowser(daemon, 'ann');
    const bob = await signedInBrowser(daemon, 'bob');
    await ann.browser.open(await ann.browser.agree('/api/auth/tracker_b'));
    const query = { userId: ann.userId };
    for (const userId of [ann.userId, 'user_owner', 'user_nobody'])
      await expect(
        clientOf(bob.browser).integrations.disconnectLinear({ query: { userId } }),
      ).rejects.toMatchObject({ status: 404, message: 'User not found' });
    expect(await clientOf(ann.browser).integrations.getLinear()).toMatchObject({ connected: true });
    await expect(
      daemon.client.integrations.disconnectLinear({ query: { userId: 'user_nobody' } }),
    ).rejects.toMatchObject({ status: 404, message: 'User not found' });
    expect(await daemon.client.integrations.disconnectLinear({ query })).toMatchObject({ revoked: true });
    expect(await clientOf(ann.browser).integrations.getLinear()).toEqual({ connected: false, teams: [] });
    expect(await daemon.client.integrations.getLinear()).toMatchObject({ connected: true });
    const { entries } = await daemon.client.audit.list({
      query: { tool: 'auth.disconnected', limit: 1 },
    });
    expect(entries).toMatchObject([
      { userId: 'user_owner', arguments: { provider: 'tracker_b', ownerId: ann.userId } },
    ]);
    await expect(daemon.client.integrations.disconnectLinear({ query })).rejects.toMatchObject({
      status: 400,
      message: 'Linear is not connected',
    });
  });

  it('shows a connected account without a request to the vendor, even after its token has expired', async () => {
    await connect('tracker_a');
    const before = (await vendors.requests()).length;
    clock.wall += 48 * 3_600_000;
    expect(await daemon.client.integrations.getJira()).toMatchObject({
      connected: true,
      tokenExpiry: '2026-05-01T13:00:00.000Z',
    });
    expect(await vendors.requests()).toHaveLength(before);
  });

  it.each([
    ['codehost', 'GitHub', 'at GitHub, Settings > Applications > Authorized OAuth Apps'],
    ['tracker_b', 'Linear', 'at Linear, Settings > Applications'],
  ] as const)('disconnects %s even when %s does not answer', async (provider, vendor, where) => {
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

  describe('finds the webhook at GitHub', () => {
    const ours = `${baseUrl}/api/webhooks/codehost`;
    const hook = (config: object, active = true) => ({ id: 1, active, events: ['issues'], config });
    const isConfigured = async () => (await daemon.client.integrations.getGithub()).webhookConfigured;
    const start = async (flags: Flags = {}, hooks: object[] = [hook({ url: ours })]) => {
      const { 'integrations.github.scopes': scopes, ...others } = flags;
      await restart({ ...(scopes && { 'integrations.github.scopes': scopes }) });
      // At its base URL no browser of a test finds the daemon.
      await connect('codehost');
      await restart({ 'server.baseUrl': baseUrl, ...secret, ...rules, ...others }, daemon.home);
      await vendors.configure({ hooks });
    };

    it('finds the webhook of a repository in a rule', async () => {
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
    ])('does not accept a webhook that %s', async (_, hooks) => {
      await start({}, hooks);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toHaveLength(1);
    });

    it.each<[string, Flags]>([
      ['a base URL', { 'server.baseUrl': undefined }],
      ['a secret', { 'webhooks.github.signingSecret': undefined }],
      [
        'a repository',
        { 'webhooks.github.rules': { 'octo/*': {}, odd: {}, 'octo/off': { enabled: false } } },
      ],
      ['the scope', { 'integrations.github.scopes': ['read:user', 'public_repo'] }],
    ])('does not look for a webhook without %s', async (_, flags) => {
      await start(flags);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toEqual([]);
    });

    it('looks for webhooks in at most five repositories', async () => {
      const names = Array.from({ length: 8 }, (_, at) => [`octo/r${at}`, {}] as const);
      await start({ 'webhooks.github.rules': Object.fromEntries(names) }, []);
      expect(await isConfigured()).toBe(false);
      expect(await hookRequests()).toHaveLength(5);
    });

    it('looks for webhooks again after a minute or when the rules change', async () => {
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

    it('finds no webhook when the vendor rejects the token or is unreachable', async () => {
      await start();
      await vendors.configure({ expireTokens: true });
      expect(await isConfigured()).toBe(false);
      clock.monotonic += 60_000;
      await vendors[Symbol.asyncDispose]();
      expect(await isConfigured()).toBe(false);
    });
  });
});
