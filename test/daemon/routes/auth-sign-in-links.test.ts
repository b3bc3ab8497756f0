import { expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';

const redeem = (daemon: TestDaemon, token: string) =>
  send(daemon, 'POST', '/api/auth/sign-in-links/redeem', { token });

it('a sign-in link signs a browser in once', async () => {
  await using daemon = await startDaemon();
  const { url, token } = await daemon.client.auth.createSignInLink();
  expect(url).toBe(`${daemon.url}/sign-in#${token}`);
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(daemon, token)));
  const [good, ...others] = answers.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  const me = await send(daemon, 'GET', '/api/auth/me', undefined, { cookie: good?.cookie ?? '' });
  expect(me.body).toMatchObject({ user: { id: 'user_owner', role: 'admin' } });
  expect((await redeem(daemon, token)).status).toBe(401);
  expect(await auditedEvents(daemon)).toEqual(['auth.sign_in_link_created ok', 'auth.sign_in ok']);
});

it('a sign-in link expires after a minute', async () => {
  const clock = { ms: Date.now() };
  const runtime = { ...systemRuntime, now: () => new Date(clock.ms) };
  await using daemon = await startDaemon({ runtime });
  const { token } = await daemon.client.auth.createSignInLink();
  clock.ms += 60_000;
  expect((await redeem(daemon, token)).status).toBe(401);
});

it('a sign-in link grants only the rights of the session that created it', async () => {
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

it('a sign-in link expires when its device is revoked', async () => {
  await using daemon = await startDaemon();
  const { requestId, code } = await daemon.client.pairing.create({ body: { requesterId: 'phone' } });
  await daemon.client.pairing.approve({ body: { code } });
  const { token } = await daemon.client.pairing.getStatus({ params: { requestId } });
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

it.each(['', 'x', 'A'.repeat(43)])('rejects the sign-in link %j', async (token) => {
  await using daemon = await startDaemon();
  expect([400, 401]).toContain((await redeem(daemon, token)).status);
});

it('a sign-in link leads to a path of this daemon that only its creator chooses', async () => {
  await using daemon = await startDaemon();
  const make = (body: unknown) => send(daemon, 'POST', '/api/auth/sign-in-links', body, daemon.headers);
  const made = await make({ returnTo: '/api/auth/codehost?returnTo=%2F' });
  expect(made.status).toBe(201);
  const { url, token } = made.body as { url: string; token: string };
  expect(url).toBe(`${daemon.url}/sign-in#${token}`);
  expect(await redeem(daemon, token)).toMatchObject({
    status: 200,
    body: { returnTo: '/api/auth/codehost?returnTo=%2F' },
  });
  const plain = (await make({})).body as { token: string };
  expect((await redeem(daemon, plain.token)).body).not.toHaveProperty('returnTo');
  for (const returnTo of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:1', ''])
    expect((await make({ returnTo })).status).toBe(400);
});
