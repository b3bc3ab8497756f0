import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';

const cloud = { 'system.authMode': 'cloud' as const };
const ann = { email: 'ann@example.org', password: 'correct horse 1', name: 'Ann' };

describe('cloud mode', () => {
  it('cloud mode accepts only accounts', async () => {
    await using daemon = await startDaemon({ flags: cloud });
    expect(existsSync(`${daemon.home}/owner-session`)).toBe(false);
    expect(await send(daemon, 'GET', '/api/auth/me')).toMatchObject({
      status: 401,
      body: { authenticated: false, authMode: 'cloud', accessKeyRequired: false },
    });
    expect((await send(daemon, 'POST', '/api/auth/verify-access-key', { key: 'anything' })).status).toBe(501);
    const { cookie } = await send(daemon, 'POST', '/api/auth/signup', ann);
    const answer = await send(daemon, 'PUT', '/api/auth/access-key', { key: null }, { cookie });
    expect(answer.status).toBe(501);
    expect((await send(daemon, 'GET', '/api/tasks')).status).toBe(401);
    expect((await send(daemon, 'GET', '/api/tasks', undefined, { cookie })).status).toBe(200);
  });

  it('says what a new account needs before anybody signs in', async () => {
    const needs = async (daemon: TestDaemon) =>
      ((await send(daemon, 'GET', '/api/auth/me')).body as { signUp: string }).signUp;
    await using local = await startDaemon({ flags: cloud });
    expect(await needs(local)).toBe('open');
    await send(local, 'POST', '/api/auth/signup', ann);
    expect(await needs(local)).toBe('invite');
    await using open = await startDaemon({ flags: { ...cloud, 'system.registrationMode': 'open' } });
    await send(open, 'POST', '/api/auth/signup', ann);
    expect(await needs(open)).toBe('open');
    // Behind a proxy nobody is known to be the owner of the machine.
    await using proxied = await startDaemon({
      flags: { ...cloud, 'server.trustedProxies': ['127.0.0.1'] },
    });
    const response = await fetch(`${proxied.url}/api/auth/me`, {
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    expect(await response.json()).toMatchObject({ signUp: 'setup_code' });
  });

  it('cloud mode locks out the owner of local mode until local mode returns', async () => {
    const home = temporaryFolder();
    const first = await startDaemon({ home });
    const { token } = await first.client.tokens.create({ body: { name: 'x', scopes: ['tasks:read'] } });
    const { code } = await first.client.invites.create({ body: { role: 'admin' } });
    await first.client.auth.updateAccessKey({ body: { key: null } });
    await first.stop();
    const second = await startDaemon({ home, flags: cloud });
    const bearer = { authorization: `Bearer ${token}` };
    expect((await send(second, 'GET', '/api/tasks', undefined, first.headers)).status).toBe(401);
    expect((await send(second, 'GET', '/api/tasks', undefined, bearer)).status).toBe(401);
    expect((await send(second, 'GET', '/api/tasks')).status).toBe(401);
    // The owner has no rights here, so the invites of the owner make no account either.
    expect((await send(second, 'POST', '/api/auth/signup', { ...ann, inviteCode: code })).status).toBe(403);
    expect((await send(second, 'POST', '/api/auth/signup', ann)).status).toBe(200);
    await second.stop();
    await using third = await startDaemon({ home });
    expect((await third.client.auth.getMe()).user.id).toBe('user_owner');
    expect((await send(third, 'GET', '/api/tasks', undefined, bearer)).status).toBe(200);
  });

  it('cloud mode requires a setup code for a first account from another machine', async () => {
    await using daemon = await startDaemon({ flags: cloud });
    const file = `${daemon.home}/setup-code`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const proxied = { 'x-forwarded-for': '203.0.113.7' };
    const refused = await send(daemon, 'POST', '/api/auth/signup', ann, proxied);
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('setup code') } });
    const wrong = { ...ann, inviteCode: 'wrong' };
    expect((await send(daemon, 'POST', '/api/auth/signup', wrong, proxied)).status).toBe(403);
    const inviteCode = readFileSync(file, 'utf8').trim();
    const answer = await send(daemon, 'POST', '/api/auth/signup', { ...ann, inviteCode }, proxied);
    expect(answer).toMatchObject({ status: 200, body: { user: { role: 'admin' } } });
    expect(existsSync(file)).toBe(false);
  });

  it('a daemon in cloud mode may listen on a public address', async () => {
    await using daemon = await startDaemon({ flags: { ...cloud, 'server.host': '0.0.0.0' } });
    const url = daemon.url.replace('0.0.0.0', '127.0.0.1');
    expect(existsSync(`${daemon.home}/setup-code`)).toBe(true);
    expect((await send({ url }, 'POST', '/api/auth/signup', ann)).status).toBe(400);
  });
});
