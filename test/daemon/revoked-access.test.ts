import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AccountService } from '../../src/core/auth/account-service.ts';
import { KeyHasher } from '../../src/core/auth/key-hasher.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';
import { heldAdapter } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

/** Sends the head and the first byte of a body; answers how to send the rest, and the status that comes back. */
async function beginRequest({ url }: TestDaemon, user: TestUser, method: string, path: string, body: object) {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Cookie: ${user.headers.cookie}`,
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    'Connection: close',
    '',
    text.slice(0, 1),
  ];
  await new Promise<void>((resolve) => socket.write(head.join('\r\n'), () => resolve()));
  return async () => {
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(text.slice(1));
    await once(socket, 'close');
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };
}
const patch = ({ client }: TestDaemon, { caller }: TestUser, body: { role?: 'user'; disabled?: boolean }) =>
  client.users.update({ params: { id: caller.userId }, body });

describe('a request with a slow body', () => {
  it('a slow request does nothing once its session has been revoked', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const finish = await beginRequest(daemon, ann, 'POST', '/api/tokens', {
      name: 'x',
      scopes: ['tasks:read'],
    });
    // A request that comes after it is served, so that one has begun.
    await daemon.client.health.get();
    await ann.client.auth.logout();
    expect(await finish()).toBe(401);
    const rows = await daemon.app.database.read.selectFrom('api_tokens').select('id').execute();
    expect(rows).toEqual([]);
  });

  it('a slow message of the Model Context Protocol does nothing once its session has been revoked', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const params = { name: 'create_task', arguments: { prompt: 'x' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const finish = await beginRequest(daemon, ann, 'POST', '/mcp', message);
    await daemon.client.health.get();
    await ann.client.auth.logout();
    expect(await finish()).toBe(401);
    expect((await daemon.client.tasks.list()).total).toBe(0);
  });

  it('a slow request does nothing once its caller is no longer an administrator', async () => {
    await using daemon = await startDaemon();
    const ada = await addUser(daemon, 'ada', 'admin');
    const path = `/api/auth/users/${ada.caller.userId}`;
    const finish = await beginRequest(daemon, ada, 'PATCH', path, { role: 'admin' });
    await daemon.client.health.get();
    await patch(daemon, ada, { role: 'user' });
    // The new role is known already when the rest comes.
    await ada.client.auth.getMe();
    await ada.client.tasks.list();
    expect(await finish()).toBe(403);
    expect((await ada.client.auth.getMe()).user.role).toBe('user');
  });
});

describe('long-lived requests', () => {
  it.each([
    ['a demotion', (daemon: TestDaemon, ada: TestUser) => patch(daemon, ada, { role: 'user' })],
    ['a closed account', (daemon: TestDaemon, ada: TestUser) => patch(daemon, ada, { disabled: true })],
    ['a sign-out', (_: TestDaemon, ada: TestUser) => ada.client.auth.logout()],
  ])('the live feed and the event stream of a task close after %s', async (_, end) => {
    const held = heldAdapter({ type: 'held' });
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const ada = await addUser(daemon, 'ada', 'admin');
    const { task } = await ada.client.tasks.create({ body: { title: 'Long', assignedAgent: 'held' } });
    await held.started(0);
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/api/live`, { headers: ada.headers });
    await once(socket, 'message');
    const stream = await fetch(`${daemon.url}/api/tasks/${task.id}/events?follow=true`, {
      headers: { ...ada.headers, accept: 'text/event-stream' },
    });
    const reader = stream.body?.getReader();
    await reader?.read();
    const closed = once(socket, 'close');
    await end(daemon, ada);
    await closed;
    await expect(readToEnd(reader)).resolves.toBe('over');
  });

  it('a long request stops when its token is revoked', async () => {
    const held = heldAdapter({ type: 'held' });
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Long', assignedAgent: 'held' } });
    await held.started(0);
    const made = await daemon.client.tokens.create({ body: { name: 'x', scopes: ['tasks:read'] } });
    const stream = await fetch(`${daemon.url}/api/tasks/${task.id}/events?follow=true`, {
      headers: { authorization: `Bearer ${made.token}`, accept: 'text/event-stream' },
    });
    const reader = stream.body?.getReader();
    await reader?.read();
    await daemon.client.tokens.revoke({ params: { id: made.id } });
    await expect(readToEnd(reader)).resolves.toBe('over');
  });
});

/** Reads until the stream ends or breaks off. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string> {
  try {
    while (!(await reader?.read())?.done);
  } catch {
    // It broke off.
  }
  return 'over';
}

describe('what a right has granted', () => {
  const account = { email: 'eve@example.org', password: 'correct horse 1', name: 'Eve' };

  it('invites expire when their administrator loses the role', async () => {
    await using daemon = await startDaemon();
    const ada = await addUser(daemon, 'ada', 'admin');
    const { code } = await ada.client.invites.create({ body: { role: 'admin' } });
    await patch(daemon, ada, { role: 'user' });
    const refused = await send(daemon, 'POST', '/api/auth/signup', { ...account, inviteCode: code });
    expect(refused.status).toBe(403);
  });

  it('sign-in links expire with the session that created them', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const { token } = await ann.client.auth.createSignInLink();
    await ann.client.auth.logout();
    expect((await send(daemon, 'POST', '/api/auth/sign-in-links/redeem', { token })).status).toBe(401);
  });

  it('sessions of an earlier access key are revoked when the key changes', async () => {
    await using daemon = await startDaemon();
    await daemon.client.auth.updateAccessKey({ body: { key: 'the first key' } });
    const enter = (key: string) => send(daemon, 'POST', '/api/auth/verify-access-key', { key });
    const [first, second] = [await enter('the first key'), await enter('the first key')];
    const cookie = { cookie: first.cookie };
    expect(
      (await send(daemon, 'PUT', '/api/auth/access-key', { key: 'the second key' }, cookie)).status,
    ).toBe(200);
    const me = (each: string) => send(daemon, 'GET', '/api/auth/me', undefined, { cookie: each });
    expect((await me(first.cookie)).status).toBe(200);
    expect((await me(second.cookie)).status).toBe(401);
    expect((await daemon.client.auth.getMe()).authenticated).toBe(true);
  });

  it('a sign-in with the old password fails once the password has changed', async () => {
    await using daemon = await startDaemon();
    const { cookie } = await send(daemon, 'POST', '/api/auth/signup', account);
    const compared = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    class SlowHasher extends KeyHasher {
      override async matches(key: string, hash: string): Promise<boolean> {
        const isRight = await super.matches(key, hash);
        compared.resolve();
        await changed.promise;
        return isRight;
      }
    }
    const { database, users, registration, sessions, pairings, audit } = daemon.app;
    const parts = { database, users, registration, sessions, pairings, audit, hasher: new SlowHasher() };
    const late = new AccountService(parts).signIn(account.email, account.password, {});
    await compared.promise;
    const body = { currentPassword: account.password, newPassword: 'battery staple 2' };
    expect((await send(daemon, 'PUT', '/api/auth/password', body, { cookie })).status).toBe(200);
    changed.resolve();
    await expect(late).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a daemon without an access key', () => {
  it.each([{ 'server.baseUrl': 'https://svc.example.org' }, { 'server.trustedProxies': ['127.0.0.1'] }])(
    'a daemon without an access key cannot be reached through a proxy: %j',
    async (flags) => {
      await using daemon = await startDaemon({ flags });
      await expect(daemon.client.auth.updateAccessKey({ body: { key: null } })).rejects.toMatchObject({
        status: 400,
      });
      await daemon.stop();
      await using open = await startDaemon();
      await open.client.auth.updateAccessKey({ body: { key: null } });
      expect((await send(open, 'GET', '/api/tasks')).status).toBe(200);
      for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
        expect((await send(open, 'GET', '/api/tasks', undefined, { [name]: '203.0.113.7' })).status).toBe(
          401,
        );
      await open.stop();
      await expect(startDaemon({ home: open.home, flags })).rejects.toMatchObject({ code: 'configuration' });
    },
  );
});
