import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { addUser } from '../../helpers/users.ts';

const KEY = 'correct horse battery staple';

const post = (daemon: TestDaemon, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const verify = (daemon: TestDaemon, key: string) => post(daemon, '/api/auth/verify-access-key', { key });
const setKey = (daemon: TestDaemon, key: string | null) =>
  daemon.client.auth.updateAccessKey({ body: { key } });
const me = (daemon: TestDaemon, cookie?: string) =>
  fetch(`${daemon.url}/api/auth/me`, { headers: cookie === undefined ? {} : { cookie } });
/** The `name=value` of the session that an answer sets. */
const sessionOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

describe('GET /api/auth/me', () => {
  it('names the owner of the machine', async () => {
    await using daemon = await startDaemon();
    const response = await me(daemon, daemon.headers.cookie);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      authenticated: true,
      authMode: 'local',
      user: {
        id: 'user_owner',
        email: expect.stringContaining('@'),
        name: expect.stringMatching(/\w/),
        role: 'admin',
        connectedAccounts: [],
        hasCodehostToken: false,
        onboardingCompleted: false,
      },
    });
  });

  it('names a plain user', async () => {
    await using daemon = await startDaemon();
    const { client } = await addUser(daemon, 'ann');
    expect(await client.auth.getMe()).toMatchObject({
      authenticated: true,
      user: { id: 'user_ann', email: 'ann@example.org', name: 'ann', role: 'user' },
    });
  });

  it.each([undefined, `${sessionCookie}=`, `${sessionCookie}=made-up`, 'other=1'])(
    'answers 401 with a body of its own for the cookie %s',
    async (cookie) => {
      await using daemon = await startDaemon();
      const response = await me(daemon, cookie);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        authenticated: false,
        authMode: 'local',
        accessKeyRequired: true,
        githubSignIn: false,
        signUp: 'open',
      });
    },
  );
});

describe('POST /api/auth/verify-access-key', () => {
  it('the access key signs the owner in', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const response = await verify(daemon, KEY);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true, message: 'Signed in' });
    const [cookie = '', ...more] = response.headers.getSetCookie();
    expect(more).toEqual([]);
    const [session = '', ...attributes] = cookie.split('; ');
    expect(session).toMatch(/^service_session=[\w-]{43,}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    expect((await me(daemon, session)).status).toBe(200);
  });

  it('the access key creates a new session each time', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const [first, second] = [sessionOf(await verify(daemon, KEY)), sessionOf(await verify(daemon, KEY))];
    expect(first).not.toBe(second);
  });

  it('marks the cookie Secure when the base URL is https', async () => {
    await using daemon = await startDaemon({ flags: { 'server.baseUrl': 'https://svc.example.org' } });
    await setKey(daemon, KEY);
    expect((await verify(daemon, KEY)).headers.getSetCookie()[0]).toMatch(/; Secure(;|$)/);
  });

  it.each(['wrong', `${KEY} `, KEY.toUpperCase(), KEY.slice(1)])('rejects the access key %j', async (key) => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const response = await verify(daemon, key);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: 'The access key is wrong' });
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('rejects every access key while none is set', async () => {
    await using daemon = await startDaemon();
    expect((await verify(daemon, 'anything')).status).toBe(401);
  });

  it('limits access key attempts to ten per minute, even with the right key', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const statuses: number[] = [];
    for (let times = 0; times < 10; times++) statuses.push((await verify(daemon, 'wrong key')).status);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 401));
    const refused = await verify(daemon, KEY);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: 'Too many attempts. Try again in a minute.' });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await me(daemon, daemon.headers.cookie)).status).toBe(200);
  });

  it('counts callers by their own address, not by their headers', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    for (let times = 0; times < 10; times++)
      await post(
        daemon,
        '/api/auth/verify-access-key',
        { key: 'wrong' },
        { 'x-forwarded-for': `10.0.0.${times}` },
      );
    const forged = { 'x-forwarded-for': '10.9.9.9', forwarded: 'for=10.9.9.9', 'x-real-ip': '10.9.9.9' };
    expect((await post(daemon, '/api/auth/verify-access-key', { key: KEY }, forged)).status).toBe(429);
  });
});

describe('POST /api/auth/logout', () => {
  it('logout revokes this session at once and no other', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const [first, second] = [sessionOf(await verify(daemon, KEY)), sessionOf(await verify(daemon, KEY))];
    expect((await me(daemon, first)).status).toBe(200);
    const response = await post(daemon, '/api/auth/logout', undefined, { cookie: first });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: expect.stringMatching(/\w/) });
    expect(response.headers.getSetCookie()[0]).toMatch(/^service_session=;.*(Max-Age=0|1970)/);
    expect((await me(daemon, first)).status).toBe(401);
    expect((await post(daemon, '/api/auth/logout', undefined, { cookie: first })).status).toBe(401);
    expect((await me(daemon, second)).status).toBe(200);
    expect((await me(daemon, daemon.headers.cookie)).status).toBe(200);
  });
});

describe('sessions', () => {
  it('stores sessions only as hashes', async () => {
    await using daemon = await startDaemon();
    const token = daemon.headers.cookie.split('=')[1] ?? '';
    const rows = await daemon.app.database.read.selectFrom('sessions').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await me(daemon, `${sessionCookie}=${rows[0]?.token_hash}`)).status).toBe(401);
  });

  it('sessions expire', async () => {
    await using daemon = await startDaemon();
    const { headers } = await addUser(daemon, 'ann');
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('sessions')
        .set({ expires_at: '2001-01-01T00:00:00.000Z' })
        .where('kind', '=', 'sign-in')
        .execute(),
    );
    expect((await me(daemon, headers.cookie)).status).toBe(401);
  });

  it('sessions survive a restart, and the owner file has mode 0600', async () => {
    const first = await startDaemon();
    const file = `${first.home}/owner-session`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    if (!isPro) expect(statSync(`${first.home}/svc.db`).mode & 0o777).toBe(0o600);
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect(second.headers).toEqual(first.headers);
    expect((await me(second, first.headers.cookie)).status).toBe(200);
  });
});

describe('PUT /api/auth/access-key', () => {
  it('replaces the access key', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    await setKey(daemon, 'another key');
    expect((await verify(daemon, KEY)).status).toBe(401);
    expect((await verify(daemon, 'another key')).status).toBe(200);
  });

  it('stores only a slow hash of the access key', async () => {
    await using daemon = await startDaemon();
    await setKey(daemon, KEY);
    const rows = await daemon.app.database.read.selectFrom('state').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(KEY);
    expect(rows.find(({ key }) => key === 'access_key_hash')?.value).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
  });

  it('null removes the access key on a loopback address, also after restarts', async () => {
    const first = await startDaemon();
    await setKey(first, null);
    expect(await (await me(first)).json()).toMatchObject({ authenticated: true, user: { role: 'admin' } });
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect((await fetch(`${second.url}/api/tasks`)).status).toBe(200);
    const page = await fetch(`${second.url}/api/tasks`, { headers: { origin: 'http://evil.example' } });
    expect(page.status).toBe(403);
    const ann = await addUser(second, 'ann');
    expect(await ann.client.auth.getMe()).toMatchObject({ user: { id: 'user_ann' } });
    await setKey(second, KEY);
    expect((await fetch(`${second.url}/api/tasks`)).status).toBe(401);
  });

  it.each(['', 'seven77', 'x'.repeat(1001), 1, undefined])('rejects the new access key %j', async (key) => {
    await using daemon = await startDaemon();
    const response = await fetch(`${daemon.url}/api/auth/access-key`, {
      method: 'PUT',
      headers: { ...daemon.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: 'key' }] });
  });
});

describe('a public address', () => {
  const reachable = { flags: { 'server.host': '0.0.0.0' } };

  it('does not serve a public address without an access key', async () => {
    await expect(startDaemon(reachable)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('access key'),
    });
  });

  it('leaves no files behind when it rejects a public address', async () => {
    const home = temporaryFolder();
    await expect(startDaemon({ ...reachable, home })).rejects.toMatchObject({ code: 'configuration' });
    await using daemon = await startDaemon({ home });
    expect((await daemon.client.health.get()).status).toBe('ok');
  });

  it('does not serve a public address once the access key is removed', async () => {
    const local = await startDaemon();
    await setKey(local, null);
    await local.stop();
    await expect(startDaemon({ ...reachable, home: local.home })).rejects.toMatchObject({
      code: 'configuration',
    });
  });

  it('serves a public address with an access key, which cannot be removed then', async () => {
    const local = await startDaemon({ home: temporaryFolder() });
    await setKey(local, KEY);
    await local.stop();
    await using open = await startDaemon({ ...reachable, home: local.home });
    const { port } = new URL(open.url);
    const put = await fetch(`http://127.0.0.1:${port}/api/auth/access-key`, {
      method: 'PUT',
      headers: { ...open.headers, 'content-type': 'application/json' },
      body: '{"key":null}',
    });
    expect(put.status).toBe(400);
    expect((await fetch(`http://127.0.0.1:${port}/api/tasks`)).status).toBe(401);
  });
});
