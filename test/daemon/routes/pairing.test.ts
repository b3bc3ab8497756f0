import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/contract/client.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { addUser } from '../../helpers/users.ts';
import { sized } from '../../helpers/long.ts';

const RACERS = sized(200, 1000);

const MINUTE = 60_000;
const wrong = '2222-2222-2222';

const ask = (daemon: TestDaemon) =>
  daemon.client.pairing.create({ body: { requesterId: 'phone', meta: { name: 'My phone' } } });
const statusOf = ({ client }: TestDaemon, requestId: string) =>
  client.pairing.getStatus({ params: { requestId } });
const me = (daemon: TestDaemon, token = '') =>
  fetch(`${daemon.url}/api/auth/me`, { headers: { cookie: `${sessionCookie}=${token}` } });
const post = (daemon: TestDaemon, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${daemon.url}/api/devices/pairing/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('pairing a device', () => {
  it('pairs a device by request and approval, and returns the session once', async () => {
    await using daemon = await startDaemon();
    const answer = await (await post(daemon, 'request', { requesterId: 'phone' })).json();
    const { requestId, code, formatted } = answer as Record<string, string>;
    expect(code).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}$/);
    expect(formatted).toBe(code?.replaceAll('-', ' '));
    const poll = async () =>
      (await (await fetch(`${daemon.url}/api/devices/pairing/status/${requestId}`)).json()) as {
        token?: string;
      };
    expect(await poll()).toEqual({ status: 'pending', expiresAt: expect.any(String) });
    const approved = await daemon.client.pairing.approve({
      body: { code: code ?? '', approvedBy: 'somebody else' },
    });
    expect(approved).toMatchObject({
      message: expect.any(String),
      request: {
        status: 'approved',
        approvedBy: 'user_owner',
        approverLabel: 'somebody else',
        role: 'admin',
        address: '127.0.0.1',
      },
    });
    const { token, ...rest } = await poll();
    expect(rest).toEqual({
      status: 'approved',
      approvedAt: approved.request.decidedAt,
      expiresAt: expect.any(String),
    });
    expect(await poll()).toEqual(rest);
    const response = await me(daemon, token);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user: { id: 'user_owner', role: 'admin' } });
  });

  it('stores the name that the approver gave beside their identity', async () => {
    await using daemon = await startDaemon();
    const { code } = await ask(daemon);
    for (const approvedBy of ['a\nb', 'a\u0007', 'x'.repeat(201)])
      await expect(daemon.client.pairing.approve({ body: { code, approvedBy } })).rejects.toMatchObject({
        status: 400,
      });
    await daemon.client.pairing.approve({ body: { code, approvedBy: ' Ada at the desk ' } });
    const { request } = await daemon.client.pairing.getByCode({ body: { code } });
    expect(request).toMatchObject({ approvedBy: 'user_owner', approverLabel: 'Ada at the desk' });
    const { entries } = await daemon.client.audit.list({ query: { tool: 'pairing.approved' } });
    expect(entries[0]).toMatchObject({
      userId: 'user_owner',
      arguments: { approverLabel: 'Ada at the desk' },
    });
  });

  it('a paired device gets no more rights than approved', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const roleOf = async (approver: Client, role?: 'user' | 'admin') => {
      const { requestId, code } = await ask(daemon);
      await approver.pairing.approve({ body: { code, ...(role && { role }) } });
      const { token } = await statusOf(daemon, requestId);
      const { user } = (await (await me(daemon, token)).json()) as { user: { id: string; role: string } };
      return `${user.id} ${user.role}`;
    };
    expect(await roleOf(ann.client)).toBe('user_ann user');
    expect(await roleOf(daemon.client, 'user')).toBe('user_owner user');
    expect(await roleOf(daemon.client, 'admin')).toBe('user_owner admin');
    await expect(roleOf(ann.client, 'admin')).rejects.toMatchObject({ status: 403 });
  });

  it('rejects a pairing by code, with a reason', async () => {
    await using daemon = await startDaemon();
    const { requestId, code } = await ask(daemon);
    const { request } = await daemon.client.pairing.reject({ body: { code, reason: 'Not mine' } });
    expect(request).toMatchObject({ status: 'rejected', reason: 'Not mine' });
    expect(await statusOf(daemon, requestId)).toMatchObject({ status: 'rejected', reason: 'Not mine' });
    await expect(daemon.client.pairing.approve({ body: { code } })).rejects.toMatchObject({
      status: 400,
      message: 'This request is already rejected',
    });
  });

  it('a pairing expires and is removed', async () => {
    const clock = { ms: Date.now() };
    await using daemon = await startDaemon({
      runtime: { ...systemRuntime, now: () => new Date(clock.ms) },
    });
    const { requestId, code } = await ask(daemon);
    clock.ms += 10 * MINUTE - 1;
    expect(await statusOf(daemon, requestId)).toMatchObject({ status: 'pending' });
    clock.ms += 1;
    expect(await statusOf(daemon, requestId)).toMatchObject({ status: 'expired' });
    await expect(daemon.client.pairing.approve({ body: { code } })).rejects.toMatchObject({ status: 404 });
    expect(await daemon.client.pairing.listPending()).toEqual({ requests: [] });
    expect(await daemon.client.pairing.deleteExpired()).toEqual({ removed: 1 });
    await expect(statusOf(daemon, requestId)).rejects.toMatchObject({ status: 404 });
  });

  it('only a person can decide a pairing', async () => {
    await using daemon = await startDaemon();
    const { code } = await ask(daemon);
    for (const path of ['approve', 'reject', 'inspect'])
      expect((await post(daemon, path, { code })).status, path).toBe(401);
    const { token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: ['tasks:write'] } });
    for (const path of ['approve', 'reject', 'inspect'])
      expect((await post(daemon, path, { code }, { authorization: `Bearer ${token}` })).status, path).toBe(
        403,
      );
  });

  it('only administrators see pending pairings', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const { code } = await ask(daemon);
    const { requests } = await daemon.client.pairing.listPending();
    expect(requests).toMatchObject([{ requesterId: 'phone', meta: { name: 'My phone' }, status: 'pending' }]);
    expect(JSON.stringify(requests)).not.toContain(code);
    await expect(ann.client.pairing.listPending()).rejects.toMatchObject({ status: 403 });
    expect(await ann.client.pairing.getByCode({ body: { code } })).toEqual({ request: requests[0] });
  });

  it.each([
    {},
    { requesterId: '' },
    { requesterId: 'x'.repeat(201) },
    { requesterId: 'x', meta: [] },
    { requesterId: 'x', meta: { text: 'x'.repeat(4096) } },
    { requesterId: 'x', publicKey: 'AAAA' },
  ])('rejects the pairing request %j', async (body) => {
    await using daemon = await startDaemon();
    expect((await post(daemon, 'request', body)).status).toBe(400);
  });
});

describe('pairing limits', () => {
  it.each(['request', 'claim'])('limits the pairing route %s to five times a minute', async (path) => {
    await using daemon = await startDaemon();
    const statuses: number[] = [];
    for (let times = 0; times < 5; times++)
      statuses.push((await post(daemon, path, { requesterId: 'x', code: wrong })).status);
    expect(statuses).toEqual(Array.from({ length: 5 }, () => (path === 'claim' ? 404 : 200)));
    const refused = await post(daemon, path, { requesterId: 'x', code: wrong });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('limits wrong pairing codes to five', async () => {
    await using daemon = await startDaemon();
    const { code } = await ask(daemon);
    const statuses = await Promise.all(
      Array.from(
        { length: 50 },
        async () => (await post(daemon, 'approve', { code: wrong }, daemon.headers)).status,
      ),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
    await expect(daemon.client.pairing.approve({ body: { code } })).rejects.toMatchObject({ status: 429 });
  });
});

describe('pairing races', () => {
  it(`gives one token to ${RACERS} polls, and one approval to as many decisions`, async () => {
    await using daemon = await startDaemon();
    const { requestId, code } = await ask(daemon);
    const approvals = await Promise.allSettled(
      Array.from({ length: RACERS }, () => daemon.client.pairing.approve({ body: { code } })),
    );
    expect(approvals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const polls = await Promise.all(Array.from({ length: RACERS }, () => statusOf(daemon, requestId)));
    expect(polls.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect((await daemon.client.devices.list()).devices).toHaveLength(1);
    const { sessions } = await daemon.client.sessions.list();
    expect(sessions.filter(({ kind }) => kind === 'device')).toHaveLength(1);
  });
});

const tools = ['rsvg-convert', 'zbarimg'];
const missing = tools.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
if (missing.length > 0 && process.env['CI'])
  throw new Error(`These tests need ${missing.join(' and ')}, and CI skips nothing`);

/** What a scanner reads from an SVG. */
function scan(svg: string): string {
  const image = spawnSync('rsvg-convert', ['--format', 'png'], { input: svg });
  const read = spawnSync('zbarimg', ['--quiet', '--raw', '--oneshot', '-'], { input: image.stdout });
  return read.stdout.toString('utf8').trim();
}

describe('a pairing QR code', () => {
  it.skipIf(missing.length > 0)('a scanner reads the QR code (needs rsvg-convert and zbarimg)', async () => {
    const long = `https://${'sub.'.repeat(20)}example.org/svc`;
    for (const flags of [{}, { 'server.baseUrl': long }]) {
      await using daemon = await startDaemon({ flags });
      const { qrSvg, pairingUrl } = await daemon.client.pairing.createQr();
      expect(scan(qrSvg)).toBe(pairingUrl);
    }
  });

  it('the QR code contains the requested host or the configured base URL', async () => {
    const hostIn = async (daemon: TestDaemon) => {
      const { pairingUrl, code } = await daemon.client.pairing.createQr();
      const url = new URL(pairingUrl);
      expect(url.protocol).toBe('svc:');
      expect(url.searchParams.get('code')).toBe(code);
      return url.searchParams.get('host');
    };
    await using local = await startDaemon();
    expect(await hostIn(local)).toBe(local.url);
    await using named = await startDaemon({ flags: { 'server.baseUrl': 'https://svc.example.org/' } });
    expect(await hostIn(named)).toBe('https://svc.example.org');
  });

  it('the QR code has a quiet zone for scanners', async () => {
    await using daemon = await startDaemon();
    const { qrSvg } = await daemon.client.pairing.createQr();
    const [, size] = /viewBox="0 0 (\d+) \1"/.exec(qrSvg) ?? [];
    // 4 modules on each side of a code of 17 + 4n.
    expect((Number(size) / 10 - 8 - 17) % 4).toBe(0);
    const edge = Math.min(
      ...[...qrSvg.matchAll(/M(\d+),(\d+)h/g)].flatMap(([, x, y]) => [Number(x), Number(y)]),
    );
    expect(edge).toBe(40);
  });

  it('pairs the device that claims the QR code, and shows who created the code', async () => {
    await using daemon = await startDaemon();
    const shown = await daemon.client.pairing.createQr();
    const claim = () => post(daemon, 'claim', { requesterId: 'phone', code: shown.code });
    const claimed = (await (await claim()).json()) as { requestId: string };
    expect((await claim()).status).toBe(400);
    expect(await statusOf(daemon, shown.requestId)).toMatchObject({ claimedBy: { requesterId: 'phone' } });
    await daemon.client.pairing.approve({ body: { code: shown.code } });
    expect(await statusOf(daemon, shown.requestId)).not.toHaveProperty('token');
    const { token } = await statusOf(daemon, claimed.requestId);
    expect((await me(daemon, token)).status).toBe(200);
  });
});
