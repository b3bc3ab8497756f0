import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { vendorOf, type WireName } from '../../../src/contract/vendors.ts';
import type { User } from '../../../src/contract/users.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { refusalOf, signedInBrowser, TestBrowser } from '../../helpers/test-browser.ts';
import { addUser } from '../../helpers/users.ts';
import { startVendors, type VendorStub } from '../../helpers/vendor-stub.ts';

const binding = 'service_oauth';
const signUpOpen = { 'system.registrationMode': 'open' } as const;

let vendors: VendorStub;
let daemon: TestDaemon;

async function restart(flags: TestDaemonOptions['flags'] = {}): Promise<void> {
  await daemon?.[Symbol.asyncDispose]();
  daemon = await startDaemon({ flags: { ...vendors.flags, ...signUpOpen, ...flags } });
}

beforeEach(async () => {
  if (!hasSharedFixtures) return;
  vendors = await startVendors();
  await restart();
});
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await vendors?.[Symbol.asyncDispose]();
});

const newBrowser = () => new TestBrowser(daemon.url);
const signIn = async (browser: TestBrowser) => browser.open(await browser.agree('/api/auth/codehost'));

async function me(browser: TestBrowser): Promise<User | undefined> {
  const answer = (await (await browser.open('/api/auth/me')).json()) as { user?: User };
  return answer.user;
}
const tokenRequests = async () => (await vendors.requests()).filter(({ path }) => path.includes('token'));
const users = () =>
  daemon.app.database.read.selectFrom('users').selectAll().where('id', '!=', 'user_owner').execute();
const audited = async () => {
  const rows = await daemon.app.database.read.selectFrom('audit_log').selectAll().orderBy('seq').execute();
  return rows.map(({ tool, result, arguments: text }) => [tool, result, JSON.parse(text) as unknown]);
};

describe.skipIf(!hasSharedFixtures)('sign-in with GitHub', () => {
  it('sign-in creates an account and a session that shows the connection', async () => {
    const browser = newBrowser();
    const back = await browser.agree('/api/auth/codehost?returnTo=/tasks%3Fa%3D1');
    expect(new URL(back).pathname).toBe('/api/auth/codehost/callback');
    const response = await browser.open(back);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/tasks?a=1']);
    expect(browser.cookie(binding)).toBeUndefined();
    expect(await me(browser)).toMatchObject({
      email: 'octocat@github.com',
      name: 'monalisa octocat',
      avatarUrl: 'https://github.com/images/error/octocat_happy.gif',
      connectedAccounts: ['codehost'],
      hasCodehostToken: true,
    });
    expect((await audited()).slice(-3)).toMatchObject([
      ['auth.sign_up', 'ok', {}],
      ['auth.connected', 'ok', { provider: 'codehost', accountId: '1', login: 'octocat' }],
      ['auth.sign_in', 'ok', { method: 'codehost' }],
    ]);
  });

  it('sign-in uses PKCE, a state and the scopes', async () => {
    const browser = newBrowser();
    const target = await browser.leadsTo('/api/auth/codehost');
    expect(Object.fromEntries(new URL(target).searchParams)).toEqual({
      response_type: 'code',
      client_id: 'stub-client',
      redirect_uri: `${daemon.url}/api/auth/codehost/callback`,
      scope: 'read:user user:email repo',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    await browser.open(await browser.leadsTo(target));
    const [exchange] = await tokenRequests();
    expect(exchange?.headers['accept']).toBe('application/json');
    expect(exchange?.body['code_verifier']).toMatch(/^[\w.~-]{43,128}$/);
  });

  it('sign-in finds the same user again after a change of name or address', async () => {
    const [first, second] = [newBrowser(), newBrowser()];
    await signIn(first);
    const user = await me(first);
    await first.open('/api/auth/me', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Mona' }),
    });
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('users')
        .set({ email: 'other@example.org' })
        .where('id', '=', user?.id ?? '')
        .execute(),
    );
    await vendors.configure({ emailVerified: false });
    await signIn(second);
    expect(await me(second)).toMatchObject({ id: user?.id, name: 'Mona', email: 'other@example.org' });
    expect(await users()).toHaveLength(1);
  });

  it('uses the verified address when the profile shows none', async () => {
    await vendors.configure({ publicEmail: false });
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ email: 'octocat@github.com' });
  });

  it('never stores an address that the vendor has not verified', async () => {
    await vendors.configure({ emailVerified: false });
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ email: '1+octocat@users.noreply.github.com' });
    const rows = await daemon.app.database.read.selectFrom('connections').selectAll().execute();
    expect(JSON.stringify([rows, await audited()])).not.toContain('octocat@github.com');
  });

  it('sign-in does not take over an account with the same email, and connects it once its user is signed in', async () => {
    const owner = newBrowser();
    const account = { email: 'octocat@github.com', password: 'password1', name: 'Mallory' };
    expect((await owner.post('/api/auth/signup', account)).status).toBe(200);
    const unknown = newBrowser();
    expect(await refusalOf(await signIn(unknown))).toEqual([
      403,
      'An account with this e-mail exists. Sign in to it first, then connect GitHub.',
    ]);
    expect(await me(unknown)).toBeUndefined();
    expect((await signIn(owner)).status).toBe(302);
    const mine = await me(owner);
    expect(mine).toMatchObject({ name: 'Mallory', connectedAccounts: ['codehost'] });
    await signIn(unknown);
    expect(await me(unknown)).toMatchObject({ id: mine?.id });
    expect(await users()).toHaveLength(1);
  });

  it('rejects an account that another user has connected, and changes neither user', async () => {
    const mona = newBrowser();
    await signIn(mona);
    const monaId = (await me(mona))?.id ?? '';
    const connections = () => daemon.app.database.read.selectFrom('connections').selectAll().execute();
    const before = await connections();
    const { browser, userId } = await signedInBrowser(daemon, 'ann');
    const session = browser.cookie(sessionCookie);
    expect(await refusalOf(await signIn(browser))).toEqual([
      403,
      'This GitHub account is connected to another account here. Disconnect it from that account first, or sign out to sign in with GitHub.',
    ]);
    expect(browser.cookie(sessionCookie)).toBe(session);
    expect(await me(browser)).toMatchObject({ id: userId, connectedAccounts: [] });
    expect(await connections()).toEqual(before);
    expect(await me(mona)).toMatchObject({ id: monaId, connectedAccounts: ['codehost'] });
    await signIn(newBrowser());
    await daemon.app.connections.disconnect(monaId, 'github');
    expect((await signIn(browser)).status).toBe(302);
    expect(await me(browser)).toMatchObject({ id: userId, connectedAccounts: ['codehost'] });
  });

  it('sign-in always creates a new session, and revokes the earlier one of the browser', async () => {
    const { browser } = await signedInBrowser(daemon, 'ann');
    const before = browser.cookie(sessionCookie);
    await signIn(browser);
    const after = browser.cookie(sessionCookie);
    expect(after).not.toBe(before);
    expect(await me(browser)).toMatchObject({ name: 'ann' });
    browser.setCookie(sessionCookie, before);
    expect(await me(browser)).toBeUndefined();
  });

  it('sign-in rejects a disabled account', async () => {
    await signIn(newBrowser());
    await daemon.app.database.write(({ db }) =>
      db.updateTable('users').set({ disabled_at: 'now' }).where('id', '!=', 'user_owner').execute(),
    );
    const browser = newBrowser();
    expect(await refusalOf(await signIn(browser))).toEqual([
      403,
      'This account is disabled. Ask an administrator.',
    ]);
    expect(browser.cookie(sessionCookie)).toBeUndefined();
    expect((await audited()).at(-1)).toEqual(['auth.sign_in', 'refused', { method: 'codehost' }]);
  });

  it.each([
    ['nobody was invited', undefined, true, 400],
    ['their verified address was', 'octocat@github.com', true, 302],
    ['their address was, which is not verified', 'octocat@github.com', false, 400],
    ['the address that stands in for one was', '1+octocat@users.noreply.github.com', false, 400],
    ['another address was', 'other@example.org', true, 400],
  ])('checks the invite when %s', async (_, email, emailVerified, status) => {
    await restart({ 'system.registrationMode': 'invite' });
    await vendors.configure({ emailVerified });
    const input = { ...(email !== undefined && { email }), role: 'user' as const, expiresInDays: 1 };
    if (email !== undefined) await daemon.client.invites.create({ body: input });
    expect((await signIn(newBrowser())).status).toBe(status);
    expect(await users()).toHaveLength(status === 302 ? 1 : 0);
    const { connections } = daemon.app;
    expect(await connections.find('user_owner', 'github')).toBeUndefined();
  });

  it('an API token cannot connect an account', async () => {
    const browser = newBrowser();
    const { caller, headers } = await addUser(daemon, 'ann');
    const answer = await fetch(`${daemon.url}/api/tokens`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', scopes: ['tasks:read'] }),
    });
    const { token } = (await answer.json()) as { token: string };
    const start = await browser.open('/api/auth/codehost', { headers: { authorization: `Bearer ${token}` } });
    const back = await browser.agree(start.headers.get('location') ?? '');
    expect((await browser.open(back)).status).toBe(302);
    expect((await me(browser))?.id).not.toBe(caller.userId);
  });

  it.each([
    ['with less rights than its user', { role: 'user' as const }],
    ['of a paired device', { deviceId: 'device_1' }],
  ])('an account cannot be connected by a session %s', async (_, limits) => {
    const { caller } = await addUser(daemon, 'ann', 'admin');
    const session = await daemon.app.sessions.create({ userId: caller.userId, kind: 'device', ...limits });
    const browser = newBrowser();
    browser.setCookie(sessionCookie, session.token);
    expect((await refusalOf(await signIn(browser)))[0]).toBe(403);
    expect(await daemon.app.connections.find(caller.userId, 'github')).toBeUndefined();
  });

  it('only the user who started a sign-in can finish it', async () => {
    const { browser } = await signedInBrowser(daemon, 'ann');
    const back = await browser.agree('/api/auth/codehost');
    const { headers } = await addUser(daemon, 'bob');
    browser.setCookie(sessionCookie, headers.cookie.split('=')[1]);
    expect((await refusalOf(await browser.open(back)))[0]).toBe(401);
    expect(await tokenRequests()).toEqual([]);
  });
});

const trackers: { provider: WireName; account: object; scopes: string[]; scope: string }[] = [
  {
    provider: 'tracker_a',
    account: { cloudId: '1324a887-45db-1bf4-1e99-ef0ff456d421', siteName: 'Site name' },
    scopes: ['read:me', 'read:jira-work', 'write:jira-work', 'offline_access'],
    scope: 'read:me read:jira-work write:jira-work offline_access',
  },
  {
    provider: 'tracker_b',
    account: {
      workspaceId: '7a661544-df08-4cd1-a1e3-5ec611898806',
      workspaceName: 'Webhooks Inc',
      teams: [{ key: 'WEB' }, { key: 'POR' }],
    },
    scopes: ['read', 'write'],
    scope: 'read,write',
  },
];

describe.skipIf(!hasSharedFixtures).each(trackers)(
  'connecting $provider',
  ({ provider, account, scopes, scope }) => {
    it('connects the account of the signed-in user', async () => {
      const { browser, userId } = await signedInBrowser(daemon, 'ann');
      const session = browser.cookie(sessionCookie);
      const target = await browser.leadsTo(`/api/auth/${provider}?returnTo=/settings`);
      expect(new URL(target).searchParams.get('scope')).toBe(scope);
      const response = await browser.open(await browser.leadsTo(target));
      expect([response.status, response.headers.get('location')]).toEqual([302, '/settings']);
      expect(browser.cookie(binding)).toBeUndefined();
      expect(browser.cookie(sessionCookie)).toBe(session);
      expect(await me(browser)).toMatchObject({ connectedAccounts: [provider], hasCodehostToken: false });
      expect(await daemon.app.connections.find(userId, vendorOf(provider))).toMatchObject({
        account,
        scopes,
      });
      expect((await audited()).at(-1)).toMatchObject(['auth.connected', 'ok', { provider }]);
    });

    it.each([
      ['nowhere', false, undefined],
      ['at the end only', false, 'ann'],
      ['at the start only', true, undefined],
      ['at the end as another user', true, 'bob'],
    ])('connecting needs the same session at both ends: not %s', async (_, isAtStart, atEnd) => {
      const { browser, userId } = await signedInBrowser(daemon, 'ann');
      const ann = browser.cookie(sessionCookie);
      const { browser: other } = await signedInBrowser(daemon, 'bob');
      if (!isAtStart) browser.setCookie(sessionCookie, undefined);
      const back = await browser.agree(`/api/auth/${provider}`);
      browser.setCookie(sessionCookie, atEnd === 'ann' ? ann : atEnd && other.cookie(sessionCookie));
      expect((await refusalOf(await browser.open(back)))[0]).toBe(401);
      expect(await tokenRequests()).toEqual([]);
      expect(await daemon.app.connections.find(userId, vendorOf(provider))).toBeUndefined();
      expect(await daemon.app.connections.find('user_bob', vendorOf(provider))).toBeUndefined();
    });

    it('several users can connect one account', async () => {
      for (const name of ['ann', 'bob']) {
        const { browser } = await signedInBrowser(daemon, name);
        await browser.open(await browser.agree(`/api/auth/${provider}`));
        expect(await me(browser)).toMatchObject({ connectedAccounts: [provider] });
      }
    });
  },
);

describe.skipIf(!hasSharedFixtures)('OAuth in a single-page app', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  interface Start {
    url: string;
    state: string;
  }
  const start = async (browser: TestBrowser, query = '') =>
    (await (await browser.open(`/api/auth/codehost/url${query}`)).json()) as Start;
  async function codeOf(browser: TestBrowser, { url, state }: Start) {
    const back = new URL(await browser.leadsTo(url));
    expect(back.searchParams.get('state')).toBe(state);
    return { code: back.searchParams.get('code'), state };
  }

  it('a single-page app signs in with its code', async () => {
    const browser = newBrowser();
    const answer = await browser.post(
      '/api/auth/codehost/token',
      await codeOf(browser, await start(browser)),
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      message: 'Signed in',
      user: { email: 'octocat@github.com' },
    });
    expect(await me(browser)).toMatchObject({ connectedAccounts: ['codehost'] });
    expect(browser.cookie(binding)).toBeUndefined();
  });

  it('a single-page app may use its own page and its own verifier', async () => {
    const browser = newBrowser();
    const page = `${daemon.url}/signed-in?x=1`;
    const query = `?codeChallenge=${challenge}&redirectUri=${encodeURIComponent(page)}`;
    const begun = await start(browser, query);
    expect(new URL(begun.url).searchParams.get('redirect_uri')).toBe(page);
    const code = await codeOf(browser, begun);
    expect((await browser.post('/api/auth/codehost/token', { ...code, codeVerifier: verifier })).status).toBe(
      200,
    );
    expect((await tokenRequests())[0]?.body['code_verifier']).toBe(verifier);
  });

  it.each([
    ['no verifier', undefined],
    ['another verifier', verifier.replace('d', 'e')],
    ['the challenge itself', challenge],
  ])('a single-page app is rejected with %s', async (_, codeVerifier) => {
    const browser = newBrowser();
    const code = await codeOf(browser, await start(browser, `?codeChallenge=${challenge}`));
    const answer = await browser.post('/api/auth/codehost/token', { ...code, codeVerifier });
    expect((await refusalOf(answer))[0]).toBe(400);
    expect(await tokenRequests()).toEqual([]);
  });

  it.each([
    'https://evil.example/callback',
    'http://evil.example/',
    'http://127.0.0.1:1/callback',
    'http://HOST@evil.example/',
    'http://user:password@HOST/',
    'http://HOST.evil.example/',
    'http://HOST/#fragment',
    'https://HOST/',
    'javascript:alert(1)',
    '/callback',
  ])('does not send the code to %s', async (redirectUri) => {
    const uri = redirectUri.replace('HOST', new URL(daemon.url).host);
    const query = new URLSearchParams({ redirectUri: uri });
    const answer = await newBrowser().open(`/api/auth/codehost/url?${query.toString()}`);
    expect(answer.status).toBe(400);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});
