import { expect, it } from 'vitest';
import { systemSurroundings } from '../../../src/core/surroundings.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';

const redeem = (daemon: TestDaemon, token: string) =>
  send(daemon, 'POST', '/api/auth/sign-in-links/redeem', { token });

it('signs a browser in, once', async () => {
  await using daemon = await startDaemon();
  const { url, token } = await daemon.client.auth.createSignInLink();
  expect(url).toBe(`${daemon.url}/sign-in#${token}`);
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(daemon, token)));
  const [good, ...others] = answers.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  const me = await send(daemon, 'GET', '/api/auth/me', undefined, { cookie: good?.cookie ?? '' });
  expect(me.body).toMatchObject({ user: { id: 'user_owner', role: 'admin' } });
  expect((await redeem(daemon, token)).status).toBe(401);
  expect(await auditedEvents(daemon)).toEqual(['auth.sign_in ok']);
});

it('is over after a minute', async () => {
  const clock = { ms: Date.now() };
  const surroundings = { ...systemSurroundings, now: () => new Date(clock.ms) };
  await using daemon = await startDaemon({ surroundings });
  const { token } = await daemon.client.auth.createSignInLink();
  clock.ms += 60_000;
  expect((await redeem(daemon, token)).status).toBe(401);
});

it('gives no more rights than the session that made it has', async () => {
  await using daemon = await startDaemon();
  const device = await daemon.app.sessions.create({ userId: 'user_owner', kind: 'device', role: 'user' });
  const headers = { authorization: `Bearer ${device.token}` };
  const link = await send(daemon, 'POST', '/api/auth/sign-in-links', undefined, headers);
  const { cookie, body } = await redeem(daemon, (link.body as { token: string }).token);
  expect(body).toMatchObject({ user: { role: 'user' } });
  const me = await send(daemon, 'GET', '/api/auth/me', undefined, { cookie });
  expect(me.body).toMatchObject({ user: { role: 'user' } });
  expect((await send(daemon, 'GET', '/api/config', undefined, { cookie })).status).toBe(403);
});

it('ends with the device that made it', async () => {
  await using daemon = await startDaemon();
  const { requestId, code } = await daemon.client.pairing.request({ body: { requesterId: 'phone' } });
  await daemon.client.pairing.approve({ body: { code } });
  const { token } = await daemon.client.pairing.status({ params: { requestId } });
  const headers = { cookie: `service_session=${token}` };
  const make = async () => {
    const { body } = await send(daemon, 'POST', '/api/auth/sign-in-links', undefined, headers);
    return (body as { token: string }).token;
  };
  const [used, late] = [await make(), await make()];
  const { cookie } = await redeem(daemon, used);
  const id = (await daemon.client.devices.list()).devices[0]?.id ?? '';
  await daemon.client.devices.revoke({ params: { id } });
  expect((await send(daemon, 'GET', '/api/auth/me', undefined, { cookie })).status).toBe(401);
  expect((await redeem(daemon, late)).status).toBe(401);
});

it.each(['', 'x', 'A'.repeat(43)])('is nothing when it is %j', async (token) => {
  await using daemon = await startDaemon();
  expect([400, 401]).toContain((await redeem(daemon, token)).status);
});
