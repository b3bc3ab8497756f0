import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { crowd } from '../../helpers/pro.ts';
import { addUser } from '../../helpers/users.ts';

it('lists your own sessions and revokes them one by one', async () => {
  await using daemon = await startDaemon();
  const ann = await addUser(daemon, 'ann');
  const bob = await addUser(daemon, 'bob');
  const client = { address: '203.0.113.7', userAgent: 'Browser\u0001 1' };
  const other = await daemon.app.sessions.create({ userId: ann.caller.userId, kind: 'sign-in', client });
  const { sessions } = await ann.client.sessions.list();
  expect(sessions).toHaveLength(2);
  const [current, second] = [sessions.find((each) => each.current), sessions.find((each) => !each.current)];
  expect(current).toMatchObject({ id: expect.stringMatching(/^sess_/), kind: 'sign-in', current: true });
  expect(second).toMatchObject({ address: '203.0.113.7', userAgent: client.userAgent, current: false });
  expect(JSON.stringify(sessions)).not.toContain(other.token);
  const id = second?.id ?? '';
  await expect(bob.client.sessions.revoke({ params: { id } })).rejects.toMatchObject({ status: 404 });
  await expect(daemon.client.sessions.revoke({ params: { id } })).rejects.toMatchObject({ status: 404 });
  await ann.client.sessions.revoke({ params: { id } });
  expect(await daemon.app.sessions.resolve(other.token)).toBeUndefined();
  expect((await ann.client.sessions.list()).sessions).toHaveLength(1);
});

it('revoking a session closes its live feed', async () => {
  await using daemon = await startDaemon();
  const ann = await addUser(daemon, 'ann');
  const { token } = await daemon.app.sessions.create({ userId: ann.caller.userId, kind: 'sign-in' });
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/api/live`, {
    headers: { cookie: `service_session=${token}` },
  });
  await once(socket, 'message');
  const id = (await ann.client.sessions.list()).sessions.find((each) => !each.current)?.id ?? '';
  const closed = once(socket, 'close');
  await ann.client.sessions.revoke({ params: { id } });
  expect((await closed)[0]).toBe(1008);
});

it('many sessions sign out at once, and none is accepted afterwards', async () => {
  await using daemon = await startDaemon();
  const ann = await addUser(daemon, 'ann');
  const tokens = await Promise.all(
    Array.from({ length: crowd }, () =>
      daemon.app.sessions.create({ userId: ann.caller.userId, kind: 'sign-in' }).then(({ token }) => token),
    ),
  );
  // Every session is in use while it ends.
  const late: boolean[] = [];
  await Promise.all(
    tokens.map(async (token) => {
      const caller = await daemon.app.sessions.resolve(token);
      if (!caller) throw new Error('The session is not known');
      const ended = daemon.app.sessions.end(caller);
      const using = Array.from({ length: 3 }, () => daemon.app.sessions.resolve(token));
      await ended;
      late.push((await daemon.app.sessions.resolve(token)) !== undefined);
      await Promise.all(using);
      late.push((await daemon.app.sessions.resolve(token)) !== undefined);
    }),
  );
  expect(late.filter(Boolean)).toEqual([]);
});

it('signs out over HTTP a hundred times at once without an error', async () => {
  await using daemon = await startDaemon();
  const ann = await addUser(daemon, 'ann');
  const out = () => send(daemon, 'POST', '/api/auth/logout', undefined, ann.headers);
  const statuses = (await Promise.all(Array.from({ length: 100 }, out))).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 401)).toEqual([]);
  expect((await send(daemon, 'GET', '/api/auth/me', undefined, ann.headers)).status).toBe(401);
});
