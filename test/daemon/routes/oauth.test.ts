import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../src/contract/locations.ts';
import type { ProviderName } from '../../../src/contract/oauth.ts';
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

describe.skipIf(!hasSharedFixtures)('sign-in with the code host', () => {
  it('makes an account, and a session that says so', async () => {
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

  it('asks with PKCE, a state and the scopes', async () => {
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

  it('finds the same user again, whatever has changed since', async () => {
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

  it('takes the verified address where the profile shows none', async () => {
    await vendors.configure({ publicEmail: false });
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ email: 'octocat@github.com' });
  });

  it('never keeps an address that the vendor has not verified', async () => {
    await vendors.configure({ emailVerified: false });
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ email: '1+octocat@users.noreply.github.com' });
    const rows = await daemon.app.database.read.selectFrom('connections').selectAll().execute();
    expect(JSON.stringify([rows, await audited()])).not.toContain('octocat@github.com');
  });

  it('does not take over an account with the same e-mail, and connects once its user is signed in', async () => {
    const owner = newBrowser();
    const account = { email: 'octocat@github.com', password: 'password1', name: 'Mallory' };
    expect((await owner.post('/api/auth/signup', account)).status).toBe(200);
    const stranger = newBrowser();
    expect(await refusalOf(await signIn(stranger))).toEqual([
      403,
      'An account with this e-mail exists. Sign in to it first, then connect GitHub.',
    ]);
    expect(await me(stranger)).toBeUndefined();
    expect((await signIn(owner)).status).toBe(302);
    const mine = await me(owner);
    expect(mine).toMatchObject({ name: 'Mallory', connectedAccounts: ['codehost'] });
    await signIn(stranger);
    expect(await me(stranger)).toMatchObject({ id: mine?.id });
    expect(await users()).toHaveLength(1);
  });

  it('refuses to connect an account that another user has connected, and changes neither user', async () => {
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
    await daemon.app.connections.disconnect(monaId, 'codehost');
    expect((await signIn(browser)).status).toBe(302);
    expect(await me(browser)).toMatchObject({ id: userId, connectedAccounts: ['codehost'] });
  });

  it('always gives a new session, and ends the one that the browser had', async () => {
    const { browser } = await signedInBrowser(daemon, 'ann');
    const before = browser.cookie(sessionCookie);
    await signIn(browser);
    const after = browser.cookie(sessionCookie);
    expect(after).not.toBe(before);
    expect(await me(browser)).toMatchObject({ name: 'ann' });
    browser.setCookie(sessionCookie, before);
    expect(await me(browser)).toBeUndefined();
  });

  it('does not open a closed account', async () => {
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
  ])('asks for an invite: where %s', async (_, email, emailVerified, status) => {
    await restart({ 'system.registrationMode': 'invite' });
    await vendors.configure({ emailVerified });
    const wish = { ...(email !== undefined && { email }), role: 'user' as const, expiresInDays: 1 };
    if (email !== undefined) await daemon.client.invites.create({ body: wish });
    expect((await signIn(newBrowser())).status).toBe(status);
    expect(await users()).toHaveLength(status === 302 ? 1 : 0);
    const { connections } = daemon.app;
    expect(await connections.find('user_owner', 'codehost')).toBeUndefined();
  });

  it('does not take an API token for a person', async () => {
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
  ])('cannot be added by a session %s', async (_, limits) => {
    const { caller } = await addUser(daemon, 'ann', 'admin');
    const session = await daemon.app.sessions.create({ userId: caller.userId, kind: 'device', ...limits });
    const browser = newBrowser();
    browser.setCookie(sessionCookie, session.token);
    expect((await refusalOf(await signIn(browser)))[0]).toBe(403);
    expect(await daemon.app.connections.find(caller.userId, 'codehost')).toBeUndefined();
  });

  it('lets only who started it signed in finish it', async () => {
    const { browser } = await signedInBrowser(daemon, 'ann');
    const back = await browser.agree('/api/auth/codehost');
    const { headers } = await addUser(daemon, 'bob');
    browser.setCookie(sessionCookie, headers.cookie.split('=')[1]);
    expect((await refusalOf(await browser.open(back)))[0]).toBe(401);
    expect(await tokenRequests()).toEqual([]);
  });
});

const trackers: { provider: ProviderName; account: object; scopes: string[]; scope: string }[] = [
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
    it('keeps the connection of who is signed in', async () => {
      const { browser, userId } = await signedInBrowser(daemon, 'ann');
      const session = browser.cookie(sessionCookie);
      const target = await browser.leadsTo(`/api/auth/${provider}?returnTo=/settings`);
      expect(new URL(target).searchParams.get('scope')).toBe(scope);
      const response = await browser.open(await browser.leadsTo(target));
      expect([response.status, response.headers.get('location')]).toEqual([302, '/settings']);
      expect(browser.cookie(binding)).toBeUndefined();
      expect(browser.cookie(sessionCookie)).toBe(session);
      expect(await me(browser)).toMatchObject({ connectedAccounts: [provider], hasCodehostToken: false });
      expect(await daemon.app.connections.find(userId, provider)).toMatchObject({ account, scopes });
      expect((await audited()).at(-1)).toMatchObject(['auth.connected', 'ok', { provider }]);
    });

    it.each([
      ['nowhere', false, undefined],
      ['at the end only', false, 'ann'],
      ['at the start only', true, undefined],
      ['at the end as somebody else', true, 'bob'],
    ])('needs a session at the start and at the end: not %s', async (_, isAtStart, atEnd) => {
      const { browser, userId } = await signedInBrowser(daemon, 'ann');
      const ann = browser.cookie(sessionCookie);
      const { browser: other } = await signedInBrowser(daemon, 'bob');
      if (!isAtStart) browser.setCookie(sessionCookie, undefined);
      const back = await browser.agree(`/api/auth/${provider}`);
      browser.setCookie(sessionCookie, atEnd === 'ann' ? ann : atEnd && other.cookie(sessionCookie));
      expect((await refusalOf(await browser.open(back)))[0]).toBe(401);
      expect(await tokenRequests()).toEqual([]);
      expect(await daemon.app.connections.find(userId, provider)).toBeUndefined();
      expect(await daemon.app.connections.find('user_bob', provider)).toBeUndefined();
    });

    it('is possible for several users with one account', async () => {
      for (const name of ['ann', 'bob']) {
        const { browser } = await signedInBrowser(daemon, name);
        await browser.open(await browser.agree(`/api/auth/${provider}`));
        expect(await me(browser)).toMatchObject({ connectedAccounts: [provider] });
      }
    });
  },
);

describe.skipIf(!hasSharedFixtures)('a single-page app', () => {
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

  it('signs in with the code that it was given', async () => {
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

  it('may have its own page and its own verifier', async () => {
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
  ])('is refused with %s', async (_, codeVerifier) => {
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
  ])('cannot have the code sent to %s', async (redirectUri) => {
    const uri = redirectUri.replace('HOST', new URL(daemon.url).host);
    const query = new URLSearchParams({ redirectUri: uri });
    const answer = await newBrowser().open(`/api/auth/codehost/url?${query.toString()}`);
    expect(answer.status).toBe(400);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});
