import { describe, expect, it } from 'vitest';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';

const ann = { email: 'ann@example.org', password: 'correct horse 1', name: 'Ann' };
const bob = { email: 'bob@example.org', password: 'battery staple 2', name: 'Bob' };
const open = { flags: { 'system.registrationMode': 'open' as const } };

const signUp = (daemon: TestDaemon, body: unknown, headers?: Record<string, string>) =>
  send(daemon, 'POST', '/api/auth/signup', body, headers);
const signIn = (daemon: TestDaemon, email: string, password: string, headers?: Record<string, string>) =>
  send(daemon, 'POST', '/api/auth/login', { email, password }, headers);
const me = (daemon: TestDaemon, cookie: string) => send(daemon, 'GET', '/api/auth/me', undefined, { cookie });

describe('POST /api/auth/signup', () => {
  it('makes the first account an administrator and signs it in', async () => {
    await using daemon = await startDaemon();
    const answer = await signUp(daemon, ann);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        user: { id: expect.stringMatching(/^user_/), email: ann.email, name: 'Ann', role: 'admin' },
        message: expect.any(String),
      },
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^service_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await me(daemon, answer.cookie)).body).toMatchObject({
      authenticated: true,
      user: { email: ann.email, role: 'admin' },
    });
    expect(await auditedEvents(daemon)).toEqual(['auth.sign_up ok']);
  });

  it('requires an invite from the second account on', async () => {
    await using daemon = await startDaemon();
    await signUp(daemon, ann);
    expect(await signUp(daemon, bob)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'inviteCode', message: expect.stringContaining('invite') }] },
    });
    expect((await signUp(daemon, { ...bob, inviteCode: 'made-up' })).status).toBe(403);
    const { code } = await daemon.client.invites.create({ body: {} });
    const invited = await signUp(daemon, { ...bob, inviteCode: code });
    expect(invited).toMatchObject({ status: 200, body: { user: { role: 'user' } } });
  });

  it('open registration accepts every sign-up, and only the first account is an administrator', async () => {
    await using daemon = await startDaemon(open);
    expect((await signUp(daemon, ann)).body).toMatchObject({ user: { role: 'admin' } });
    expect((await signUp(daemon, bob)).body).toMatchObject({ user: { role: 'user' } });
    expect(await signUp(daemon, { ...ann, email: 'ANN@example.ORG' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('exists') },
    });
  });

  it('a sign-up ignores unknown fields such as a role', async () => {
    await using daemon = await startDaemon(open);
    await signUp(daemon, ann);
    const forged = { ...bob, role: 'admin', id: 'user_owner', disabled_at: null, isTrustedClient: true };
    const { body } = await signUp(daemon, forged);
    expect(body).toMatchObject({ user: { id: expect.stringMatching(/^user_0/), role: 'user' } });
  });

  it.each([
    [{ email: 'no address' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.org` }, 'email'],
    [{ password: 'short1' }, 'password'],
    [{ password: 'only letters' }, 'password'],
    [{ password: '1234567890' }, 'password'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'colour \u001b[31m' }, 'name'],
    [{ inviteCode: 7 }, 'inviteCode'],
  ])('rejects the sign-up %j', async (change, path) => {
    await using daemon = await startDaemon();
    expect(await signUp(daemon, { ...ann, ...change })).toMatchObject({
      status: 400,
      body: { error: 'Validation failed', details: [expect.objectContaining({ path })] },
    });
  });

  it('accepts passwords and names in any script', async () => {
    await using daemon = await startDaemon();
    const password = 'пароль-é-٣-longer';
    expect((await signUp(daemon, { ...ann, name: 'Ænne 李', password })).status).toBe(200);
    expect((await signIn(daemon, ann.email, password.normalize('NFD'))).status).toBe(200);
  });

  it.each([
    ['a proxy forwards the request', {}, { 'x-forwarded-for': '203.0.113.7' }],
    ['a base URL is set', { 'server.baseUrl': 'http://svc.example.org' }, {}],
    ['invites are wanted', { 'system.registrationMode': 'invite' as const }, {}],
  ])('creates the first account only with an invite when %s', async (_, flags, headers) => {
    await using daemon = await startDaemon({ flags });
    expect((await signUp(daemon, ann, headers)).status).toBe(400);
    const { code } = await daemon.client.invites.create({ body: { role: 'admin' } });
    expect((await signUp(daemon, { ...ann, inviteCode: code }, headers)).body).toMatchObject({
      user: { role: 'admin' },
    });
  });
});

describe('POST /api/auth/login', () => {
  it('each login creates another session', async () => {
    await using daemon = await startDaemon();
    const first = await signUp(daemon, ann);
    const second = await signIn(daemon, 'ANN@example.org', ann.password);
    expect(second).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((second.body as { user: object }).user).toEqual({
      id: (first.body as { user: { id: string } }).user.id,
      email: ann.email,
      name: 'Ann',
    });
    expect(second.cookie).not.toBe(first.cookie);
    expect((await me(daemon, first.cookie)).status).toBe(200);
    expect((await me(daemon, second.cookie)).status).toBe(200);
  });

  it('login never reuses the session of the browser, and revokes it', async () => {
    await using daemon = await startDaemon();
    const first = await signUp(daemon, ann);
    const planted = 'service_session=planted-by-somebody-else-1234567890123456789';
    const second = await signIn(daemon, ann.email, ann.password, { cookie: planted });
    expect(second.cookie).not.toBe(planted);
    expect((await me(daemon, planted)).status).toBe(401);
    const third = await signIn(daemon, ann.email, ann.password, { cookie: first.cookie });
    expect(third.cookie).not.toBe(first.cookie);
    expect((await me(daemon, first.cookie)).status).toBe(401);
    expect((await me(daemon, third.cookie)).status).toBe(200);
    // The command line of this machine keeps its own.
    await signIn(daemon, ann.email, ann.password, daemon.headers);
    expect((await daemon.client.auth.getMe()).authenticated).toBe(true);
  });

  it.each([
    ['an unknown user', 'nobody@example.org', ann.password],
    ['a wrong password', ann.email, 'wrong password 1'],
    ['a text that is no address', "' or 1=1 --", ann.password],
    ['the owner, who has no password', 'owner@localhost', ann.password],
  ])('login gives the same error for %s', async (_, email, password) => {
    await using daemon = await startDaemon();
    await signUp(daemon, ann);
    const answer = await signIn(daemon, email, password);
    expect(answer).toMatchObject({ status: 401, body: { error: 'E-mail or password is wrong' } });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(answer.cookie).toBe('');
    expect(await auditedEvents(daemon)).toEqual(['auth.sign_up ok', 'auth.sign_in refused']);
  });

  it('limits logins to ten per minute, and says when to retry', async () => {
    await using daemon = await startDaemon();
    await signUp(daemon, ann);
    const began = performance.now();
    for (let at = 0; at < 10; at++)
      expect((await signIn(daemon, `user${at}@example.org`, 'wrong 1')).status).toBe(401);
    const answer = await signIn(daemon, ann.email, ann.password);
    const seconds = (performance.now() - began) / 1000;
    expect(answer).toMatchObject({
      status: 429,
      body: { error: 'Too many login attempts. Try again in a minute.' },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(60 - seconds));
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('counts logins per account from any address, and trusts only a trusted proxy', async () => {
    const proxies = ['127.0.0.0/8'];
    await using daemon = await startDaemon({ flags: { 'server.trustedProxies': proxies } });
    await using strict = await startDaemon();
    const from = (target: TestDaemon, at: number, email: string) =>
      signIn(target, email, 'wrong 1', { 'x-forwarded-for': `203.0.113.${at}` });
    for (let at = 0; at < 10; at++) expect((await from(daemon, at, ann.email)).status).toBe(401);
    expect((await from(daemon, 99, ann.email)).status).toBe(429);
    expect((await from(daemon, 99, bob.email)).status).toBe(401);
    for (let at = 0; at < 10; at++) await from(strict, at, `user${at}@example.org`);
    expect((await from(strict, 99, bob.email)).status).toBe(429);
  });
});

describe('the profile', () => {
  const change = (daemon: TestDaemon, cookie: string, body: unknown) =>
    send(daemon, 'PATCH', '/api/auth/me', body, { cookie });

  it('updates every field of the profile, and null clears it', async () => {
    await using daemon = await startDaemon();
    const { cookie } = await signUp(daemon, ann);
    const profile = {
      name: 'Ann B.',
      avatarUrl: 'https://example.org/a.png',
      bio: 'Works',
      timezone: 'Europe/Berlin',
      locale: 'en-GB',
      onboardingCompleted: true,
    };
    expect(await change(daemon, cookie, profile)).toMatchObject({ status: 200, body: { user: profile } });
    expect((await me(daemon, cookie)).body).toMatchObject({ user: profile });
    await change(daemon, cookie, { avatarUrl: null, bio: null, timezone: null, locale: null });
    const { user } = (await me(daemon, cookie)).body as { user: object };
    expect(Object.keys(user)).not.toContain('bio');
    expect(user).toMatchObject({ name: 'Ann B.', onboardingCompleted: true });
  });

  it('a profile update cannot change the identity or role', async () => {
    await using daemon = await startDaemon(open);
    await signUp(daemon, ann);
    const { cookie } = await signUp(daemon, bob);
    const forged = { role: 'admin', id: 'user_owner', email: ann.email, password_hash: 'x' };
    expect((await change(daemon, cookie, forged)).body).toMatchObject({
      user: { email: bob.email, role: 'user' },
    });
  });

  it.each([
    { avatarUrl: 'http://example.org/a.png' },
    { avatarUrl: 'javascript:alert(1)' },
    { bio: 'x'.repeat(501) },
    { timezone: 'Mars/Olympus' },
    { timezone: '+01:00' },
    { locale: 'not a locale' },
    { locale: 'x'.repeat(36) },
    { onboardingCompleted: 'yes' },
    { name: '' },
  ])('rejects the profile %j', async (body) => {
    await using daemon = await startDaemon();
    expect(await send(daemon, 'PATCH', '/api/auth/me', body, daemon.headers)).toMatchObject({
      status: 400,
      body: { details: expect.arrayContaining([expect.objectContaining({ path: Object.keys(body)[0] })]) },
    });
  });
});

describe('PUT /api/auth/password', () => {
  const change = (daemon: TestDaemon, cookie: string, currentPassword: string, newPassword: string) =>
    send(daemon, 'PUT', '/api/auth/password', { currentPassword, newPassword }, { cookie });

  it('a password change revokes the other sessions', async () => {
    await using daemon = await startDaemon();
    const { cookie } = await signUp(daemon, ann);
    const other = await signIn(daemon, ann.email, ann.password);
    expect((await change(daemon, cookie, 'wrong 1', bob.password)).status).toBe(403);
    expect((await change(daemon, cookie, ann.password, 'short')).status).toBe(400);
    expect((await change(daemon, cookie, ann.password, bob.password)).status).toBe(200);
    expect((await me(daemon, cookie)).status).toBe(200);
    expect((await me(daemon, other.cookie)).status).toBe(401);
    expect((await signIn(daemon, ann.email, ann.password)).status).toBe(401);
    expect((await signIn(daemon, ann.email, bob.password)).status).toBe(200);
    expect(await auditedEvents(daemon)).toContain('auth.password_changed ok');
  });

  it('of two changes at once from the same password, one is made', async () => {
    await using daemon = await startDaemon();
    const { cookie } = await signUp(daemon, ann);
    const chosen = ['a first new password 1', 'a second new password 2'];
    const answers = await Promise.all(chosen.map((each) => change(daemon, cookie, ann.password, each)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const signIns = await Promise.all(chosen.map((each) => signIn(daemon, ann.email, each)));
    expect(signIns.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200));
  });

  it('a paired device cannot change the password, and a change withdraws unclaimed pairings', async () => {
    await using daemon = await startDaemon();
    const { cookie } = await signUp(daemon, ann);
    const pair = async () => {
      const made = await daemon.client.pairing.create({ body: { requesterId: 'phone' } });
      const approval = await send(
        daemon,
        'POST',
        '/api/devices/pairing/approve',
        { code: made.code },
        { cookie },
      );
      expect(approval.status).toBe(200);
      return made.requestId;
    };
    const { token } = await daemon.client.pairing.getStatus({ params: { requestId: await pair() } });
    const device = `service_session=${token}`;
    expect((await change(daemon, device, ann.password, bob.password)).status).toBe(403);
    const late = await pair();
    expect((await change(daemon, cookie, ann.password, bob.password)).status).toBe(200);
    expect(await daemon.client.pairing.getStatus({ params: { requestId: late } })).toMatchObject({
      status: 'rejected',
      reason: 'The password was changed',
    });
    expect((await me(daemon, device)).status).toBe(401);
  });

  it('the owner of the machine has no password to change', async () => {
    await using daemon = await startDaemon();
    const answer = await change(daemon, daemon.headers.cookie, 'x', bob.password);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('access key') } });
  });
});

describe('accounts, for an administrator', () => {
  it('an administrator can change roles and disable accounts, but not the last administrator', async () => {
    await using daemon = await startDaemon({ flags: { ...open.flags, 'system.authMode': 'cloud' } });
    const admin = await signUp(daemon, ann);
    const plain = await signUp(daemon, bob);
    const patch = (id: string, body: unknown) =>
      send(daemon, 'PATCH', `/api/auth/users/${id}`, body, { cookie: admin.cookie });
    const idOf = (answer: { body: unknown }) => (answer.body as { user: { id: string } }).user.id;
    const list = await send(daemon, 'GET', '/api/auth/users', undefined, { cookie: admin.cookie });
    expect(list.body).toMatchObject({
      users: [
        { email: ann.email, role: 'admin', hasPassword: true, disabled: false, isOwner: false },
        { email: bob.email, role: 'user' },
      ],
    });
    expect((await me(daemon, plain.cookie)).body).toMatchObject({ user: { role: 'user' } });
    expect((await patch(idOf(plain), { role: 'admin' })).status).toBe(200);
    expect((await me(daemon, plain.cookie)).body).toMatchObject({ user: { role: 'admin' } });
    const { token } = await daemon.app.tokens.create(
      { userId: idOf(plain), role: 'admin' },
      { name: 'x', scopes: ['tasks:read', 'agents:command'] },
    );
    expect((await daemon.app.tokens.resolve(token))?.token?.scopes).toContain('agents:command');
    expect((await patch(idOf(plain), { role: 'user' })).status).toBe(200);
    expect((await daemon.app.tokens.resolve(token))?.token?.scopes).toEqual(['tasks:read']);
    expect((await patch(idOf(plain), { disabled: true })).status).toBe(200);
    expect((await me(daemon, plain.cookie)).status).toBe(401);
    expect(await daemon.app.tokens.resolve(token)).toBeUndefined();
    expect((await signIn(daemon, bob.email, bob.password)).status).toBe(401);
    expect((await patch(idOf(plain), { disabled: false })).status).toBe(200);
    expect((await signIn(daemon, bob.email, bob.password)).status).toBe(200);
    expect((await patch(idOf(admin), { role: 'user' })).status).toBe(400);
    expect((await patch(idOf(admin), { disabled: true })).status).toBe(400);
    expect((await patch('user_nobody', { role: 'user' })).status).toBe(404);
    expect((await patch('user_owner', { role: 'user' })).status).toBe(400);
  });
});
