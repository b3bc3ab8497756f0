import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { mayLimitedDevice, routesOfLimitedDevices } from '../../src/contract/limited-devices.ts';
import { livePath } from '../../src/contract/live-path.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { allRoutes } from '../helpers/routes.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  daemon = await startDaemon();
  ann = await addUser(daemon, 'ann');
  bob = await addUser(daemon, 'bob');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const anybody = () => createClient(contract, { baseUrl: daemon.url, fetch: (url, init) => fetch(url, init) });

/** Asks as the browser of a phone does: the answer, and the session in its cookie. */
async function signIn(requestId: string): Promise<{ answer: unknown; cookie: string; client: Client }> {
  const response = await fetch(new URL('/api/devices/pairing/sign-in', daemon.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requestId }),
  });
  const [set = ''] = response.headers.getSetCookie();
  const [cookie = ''] = set.split(';');
  if (set !== '') expect(set).toMatch(/; HttpOnly; SameSite=Lax$|; HttpOnly;.*SameSite=Lax/);
  const client = createClient(contract, {
    baseUrl: daemon.url,
    fetch: (url, init) => fetch(url, init),
    headers: { cookie },
  });
  return { answer: await response.json(), cookie, client };
}

async function showCode(user: TestUser): Promise<string> {
  const { pairingUrl, code } = await user.client.pairing.createQr({ query: { link: 'browser' } });
  expect(pairingUrl).toBe(`${daemon.url}/pair#${code}`);
  return code;
}
const claim = (code: string) => anybody().pairing.claim({ body: { code, requesterId: 'Phone' } });

/** A phone of the user, with its session. */
async function pair(user: TestUser) {
  const code = await showCode(user);
  const { requestId } = await claim(code);
  await user.client.pairing.approve({ body: { code } });
  return signIn(requestId);
}

// Each claim counts for the limit of pairing requests.
describe('the browser of a phone', () => {
  it('gets its session once, as a cookie, after the approval of whoever showed the code', async () => {
    const code = await showCode(ann);
    expect(await ann.client.pairing.getByCode({ body: { code } })).toMatchObject({
      request: { claimed: false, limited: true, status: 'pending' },
    });
    const [first, second] = await Promise.allSettled([claim(code), claim(code)]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    const won = first.status === 'fulfilled' ? first.value : second.status === 'fulfilled' && second.value;
    const requestId = won ? won.requestId : '';
    expect(await signIn(requestId)).toMatchObject({
      answer: { status: 'pending', signedIn: false },
      cookie: '',
    });
    await expect(bob.client.pairing.approve({ body: { code } })).rejects.toMatchObject({ status: 404 });
    const { request } = await ann.client.pairing.getByCode({ body: { code } });
    expect(request).toMatchObject({ claimed: true, requesterId: 'Phone', address: '127.0.0.1' });
    await ann.client.pairing.approve({ body: { code, version: request.version } });
    const polls = await Promise.all([signIn(requestId), signIn(requestId), signIn(requestId)]);
    expect(polls.map(({ cookie }) => cookie).filter(Boolean)).toHaveLength(1);
    expect(await signIn(requestId)).toMatchObject({
      answer: { status: 'approved', signedIn: false },
      cookie: '',
    });
    const phone = polls.find(({ cookie }) => cookie !== '');
    expect(await phone?.client.auth.getMe()).toMatchObject({
      user: { id: 'user_ann' },
      device: { limited: true },
    });
    expect(await ann.client.devices.list()).toMatchObject({ devices: [{ name: 'Phone', limited: true }] });
    expect(await bob.client.devices.list()).toMatchObject({ devices: [] });
  });

  it('may look and cancel, and is refused everything else with a sentence', async () => {
    const { client, cookie } = await pair(ann);
    const { task } = await ann.client.tasks.create({
      body: { title: 'x', prompt: 'x' },
    });
    expect(await client.tasks.get({ params: { id: task.id } })).toMatchObject({ task: { id: task.id } });
    expect(await client.tasks.cancel({ params: { id: task.id } })).toMatchObject({
      task: { status: 'cancelled' },
    });
    for (const { route } of allRoutes) {
      if (route.access === 'public' || route.access === 'token') continue;
      const isOpen = mayLimitedDevice(route.method, route.path);
      if (isOpen) continue;
      const path = route.path.replaceAll(/:\w+/g, 'x');
      const response = await fetch(new URL(path, daemon.url), {
        method: route.method,
        headers: { cookie, ...(route.body && { 'content-type': 'application/json' }) },
        ...(route.body && { body: '{}' }),
      });
      expect([route.method, path, response.status]).toEqual([route.method, path, 403]);
      expect(await response.text()).toContain(
        'This device may only look, decide on approvals and cancel tasks.',
      );
    }
  });

  it('is over at once when it is revoked, with its live feed', async () => {
    const { client, cookie } = await pair(bob);
    const socket = new WebSocket(new URL(livePath, daemon.url.replace('http', 'ws')), {
      headers: { cookie },
    });
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
    });
    await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
    const { devices } = await bob.client.devices.list();
    await bob.client.devices.revoke({ params: { id: devices[0]?.id ?? '' } });
    expect(await closed).toBe(1008);
    await expect(client.tasks.list()).rejects.toMatchObject({ status: 401 });
  });

  it('another machine can be limited by its approver', async () => {
    const { code, requestId } = await anybody().pairing.create({ body: { requesterId: 'build' } });
    const { request } = await bob.client.pairing.approve({ body: { code, limited: true } });
    expect(request.limited).toBe(true);
    const { client } = await signIn(requestId);
    await expect(client.tasks.create({ body: { title: 'x', prompt: 'x' } })).rejects.toMatchObject({
      status: 403,
    });
  });
});

it('what a limited device may call are routes that exist and need a session', () => {
  const known = allRoutes
    .filter(({ route }) => route.access === 'session')
    .map(({ route }) => `${route.method} ${route.path}`);
  for (const each of routesOfLimitedDevices) if (each !== `GET ${livePath}`) expect(known).toContain(each);
  expect(mayLimitedDevice('HEAD', '/api/tasks')).toBe(true);
  expect(mayLimitedDevice('POST', '/api/tasks')).toBe(false);
  expect(sessionCookie).toBe('service_session');
});
