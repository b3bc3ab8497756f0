import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorSchemaOf } from '../../src/contract/error-forms.ts';
import { scopeSchema, type Scope } from '../../src/contract/scopes.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { SessionInput } from '../../src/core/auth/session-service.ts';
import { buildServer } from '../../src/daemon/server.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { everyNth } from '../helpers/long.ts';
import { rawRequest, sendRaw } from '../helpers/raw-http.ts';
import { allRoutes, sampleBody, samplePath } from '../helpers/routes.ts';
import { addUser, type TestUser } from '../helpers/users.ts';
import { type AccessRow, accessTable } from './access-table.ts';

/** This file calls often. */
const unlimited = { 'gateway.requestsPerMinute': 100_000, 'gateway.requestsPerSecond': 10_000 };

/** Addresses that the contract does not hold. */
const others: [name: string, path: string, row: AccessRow][] = [
  ['the OpenAPI document', '/api/openapi.json', { access: 'public' }],
  ['the page of the API', '/api/docs', { access: 'public' }],
  ['the first page', '/', { access: 'public' }],
  ['the page of sign-in links', '/sign-in', { access: 'public' }],
  ['the style of the page of the API', '/api/docs.css', { access: 'public' }],
  ['a file of the pages', '/theme.js', { access: 'public' }],
  ['the metrics for Prometheus', '/metrics', { access: 'session', scopes: ['metrics:read'] }],
  ['the live feed', '/api/live', { access: 'session' }],
];
const targets = [
  ...allRoutes.map(({ name, route }) => ({
    name: `${name}: ${route.method} ${route.path}`,
    row: accessTable[name] ?? { access: 'admin' as const },
    method: route.method as string,
    path: samplePath(route),
    ...sampleBody(route),
  })),
  ...others.map(([name, path, row]) => ({ name, path, row, method: 'GET', headers: {}, body: undefined })),
];
type Target = (typeof targets)[number];

let daemon: TestDaemon;
let user: TestUser;
let otherAdmin: TestUser;

beforeAll(async () => {
  daemon = await startDaemon({ flags: unlimited });
  user = await addUser(daemon, 'ann');
  otherAdmin = await addUser(daemon, 'ada', 'admin');
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** A session of its own for each request, because some requests end theirs. */
async function sessionOf(userId: string, input: Partial<SessionInput> = {}): Promise<string> {
  const { token } = await daemon.app.sessions.create({ userId, kind: 'sign-in', ...input });
  return token;
}
const cookieOf = async (userId: string, input?: Partial<SessionInput>) => ({
  cookie: `${sessionCookie}=${await sessionOf(userId, input)}`,
});
const ownerId = 'user_owner';

/** An API token with one scope. */
const tokens = new Map<Scope, Promise<{ token: string }>>();
async function bearerOf(scope: Scope): Promise<Record<string, string>> {
  const owner = { userId: ownerId, role: 'admin' as const };
  const known = tokens.get(scope) ?? daemon.app.tokens.create(owner, { name: scope, scopes: [scope] });
  tokens.set(scope, known);
  return { authorization: `Bearer ${(await known).token}` };
}

const call = async ({ path, method, headers, body }: Target, credential: Record<string, string> = {}) => {
  const response = await fetch(new URL(path, daemon.url), {
    method,
    redirect: 'manual',
    headers: { ...headers, ...credential },
    ...(body !== undefined && { body }),
  });
  expect(response.status).not.toBe(500);
  return response.status;
};
const refused = [401, 403];

describe('the access table', () => {
  it('the access table has a row for each route of the contract, and no other', () => {
    expect(Object.keys(accessTable).sort()).toEqual(allRoutes.map(({ name }) => name).sort());
  });

  it.each(allRoutes)('the access table agrees with the contract on $name', ({ name, route }) => {
    const { access, scopes, crossSite } = accessTable[name] ?? {};
    expect({ access: route.access, scopes: route.scopes, crossSite: route.crossSite }).toEqual({
      access,
      scopes,
      crossSite,
    });
  });
});

describe.each(targets)('$name', (target) => {
  const { row, path } = target;
  const { access, asksItself = false } = row;

  it.each([
    ['nobody', {}],
    ['a made-up session', { cookie: `${sessionCookie}=${'A'.repeat(43)}` }],
    ['an empty session', { cookie: `${sessionCookie}=` }],
    ['a broken cookie', { cookie: `${sessionCookie}=%E0%A4%A; =; ${'x'.repeat(100)}` }],
    ['a made-up token', { authorization: `Bearer svc_${'A'.repeat(43)}` }],
    ['a made-up bearer', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['a broken authorization', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('answers %s only where the route is public', async (_, credential: Record<string, string>) => {
    const status = await call(target, credential);
    if (asksItself) expect([400, 401]).toContain(status);
    else if (access === 'public') expect(refused).not.toContain(status);
    else expect(status).toBe(401);
  });

  it('rejects a session cookie that was sent twice', async () => {
    const first = `${sessionCookie}=${await sessionOf(ownerId)}`;
    for (const cookie of [
      `${first}; ${sessionCookie}=x`,
      `${sessionCookie}=x; ${first}`,
      `${first}; ${first}`,
    ]) {
      const status = await call(target, { cookie });
      if (access !== 'public') expect(status).toBe(401);
    }
  });

  it('rejects a valid session beside a broken authorization header', async () => {
    const status = await call(target, { ...(await cookieOf(ownerId)), authorization: 'Bearer nonsense' });
    if (access !== 'public') expect(status).toBe(401);
  });

  it.each([
    ['a plain user', () => cookieOf(user.caller.userId)],
    [
      'a paired device of a plain user',
      () => cookieOf(user.caller.userId, { kind: 'device', deviceId: 'dev_1' }),
    ],
    [
      'a device that an administrator paired for less',
      () => cookieOf(ownerId, { kind: 'device', deviceId: 'dev_2', role: 'user' }),
    ],
    [
      'a plain user, in a header',
      async () => ({ authorization: `Bearer ${await sessionOf(user.caller.userId)}` }),
    ],
  ])(
    'answers %s with the rights of a plain user',
    async (_, credentialOf: () => Promise<Record<string, string>>) => {
      const status = await call(target, await credentialOf());
      if (access === 'admin') expect(status).toBe(403);
      else if (access === 'token') expect(status).toBe(401);
      else expect(refused).not.toContain(status);
    },
  );

  it.each([
    ['the owner', () => cookieOf(ownerId)],
    ['another administrator', () => cookieOf(otherAdmin.caller.userId)],
    ['a paired device of an administrator', () => cookieOf(ownerId, { kind: 'device', deviceId: 'dev_3' })],
  ])(
    'answers %s with the rights of an administrator',
    async (_, credentialOf: () => Promise<Record<string, string>>) => {
      const status = await call(target, await credentialOf());
      if (access === 'token') expect(status).toBe(401);
      else expect(refused).not.toContain(status);
    },
  );

  it.each(everyNth(4, scopeSchema.options, targets.indexOf(target)))(
    'answers a token with the scope %s as the access table says',
    async (scope) => {
      const status = await call(target, await bearerOf(scope));
      if (access === 'public') expect(asksItself ? [] : refused).not.toContain(status);
      else if (row.scopes?.includes(scope)) expect(refused).not.toContain(status);
      else expect(status).toBe(403);
    },
  );

  it.each(
    everyNth(
      8,
      [
        ['another origin', 'HTTP/1.1', ['Host: OURS', 'Origin: http://evil.example']],
        ['an origin of another port', 'HTTP/1.1', ['Host: OURS', 'Origin: http://127.0.0.1:1']],
        ['our origin over another scheme', 'HTTP/1.1', ['Host: OURS', 'Origin: https://OURS']],
        ['the origin null', 'HTTP/1.1', ['Host: OURS', 'Origin: null']],
        ['another host', 'HTTP/1.1', ['Host: evil.example']],
        ['a host of another port', 'HTTP/1.1', ['Host: 127.0.0.1:1']],
        ['our name without the port', 'HTTP/1.1', ['Host: 127.0.0.1']],
        ['two hosts', 'HTTP/1.1', ['Host: OURS', 'Host: evil.example']],
        ['our host twice', 'HTTP/1.1', ['Host: OURS', 'hOST: OURS']],
        ['no host over HTTP/1.0', 'HTTP/1.0', []],
        ['no host over HTTP/1.1', 'HTTP/1.1', []],
      ] as [string, string, string[]][],
      targets.indexOf(target),
    ),
  )('rejects a request with %s', async (_, version, headers) => {
    const answer = await sendGated(target, version, headers);
    expect(answer.status).toBe(403);
    expect(errorSchemaOf(path).safeParse(JSON.parse(answer.body)).success, answer.body).toBe(true);
  });

  it.runIf(/^\/(api|mcp|a2a|v1)/.test(path)).each(['cross-site', 'same-site'])(
    'rejects a request from a page that is %s',
    async (site) => {
      const from = (mode: string) =>
        sendGated(target, 'HTTP/1.1', ['Host: OURS', `Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`]);
      for (const mode of ['cors', 'no-cors', 'websocket']) expect((await from(mode)).status).toBe(403);
      const navigated = await from('navigate');
      if (row.crossSite) expect(navigated.status).not.toBe(403);
      else expect(navigated.status).toBe(403);
    },
  );

  it('accepts a request with its own origin', async () => {
    const { status } = await sendGated(target, 'HTTP/1.1', [
      'Host: OURS',
      'Origin: http://OURS',
      'Sec-Fetch-Site: same-origin',
    ]);
    expect(status).not.toBe(403);
  });
});

/** A request of the owner, so that only the gate can be what refuses it. */
async function sendGated({ method, path, headers, body }: Target, version: string, lines: string[]) {
  const { host } = new URL(daemon.url);
  return sendRaw(
    daemon.url,
    rawRequest(
      [
        `${method} ${path} ${version}`,
        ...lines.map((line) => line.replaceAll('OURS', host)),
        `Cookie: ${sessionCookie}=${await sessionOf(ownerId)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ],
      body,
    ),
  );
}

describe('the request gate', () => {
  it('accepts localhost and the base URL as its own host', async () => {
    await using proxied = await startDaemon({ flags: { 'server.baseUrl': 'https://svc.example.org' } });
    const { port } = new URL(proxied.url);
    const status = async (host: string, origin?: string) => {
      const lines = [`Host: ${host}`, ...(origin === undefined ? [] : [`Origin: ${origin}`])];
      return (await sendRaw(proxied.url, rawRequest(['GET /api/health HTTP/1.1', ...lines]))).status;
    };
    expect(await status(`localhost:${port}`, `http://localhost:${port}`)).toBe(200);
    expect(await status(`LOCALHOST:${port}`)).toBe(200);
    expect(await status(`[::1]:${port}`)).toBe(200);
    expect(await status('svc.example.org', 'https://svc.example.org')).toBe(200);
    expect(await status('svc.example.org', 'http://svc.example.org')).toBe(403);
    expect(await status('svc.example.org.evil.example')).toBe(403);
    expect(await status(`localhost:${port}`, 'https://svc.example.org.evil.example')).toBe(403);
  });

  it.each(['/%61pi/tasks', '/ap%69/health'])('the host gate also covers encoded paths: %s', async (path) => {
    const { host } = new URL(daemon.url);
    const { status } = await sendRaw(
      daemon.url,
      rawRequest([
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        'Sec-Fetch-Site: cross-site',
        `Cookie: ${sessionCookie}=${await sessionOf(ownerId)}`,
      ]),
    );
    expect([403, 404]).toContain(status);
  });

  it('the host gate also covers absolute request targets', async () => {
    const { host } = new URL(daemon.url);
    const send = async (target: string, ...lines: string[]) =>
      (await sendRaw(daemon.url, rawRequest([`GET ${target} HTTP/1.1`, `Host: ${host}`, ...lines]))).status;
    expect([403, 404]).toContain(await send(`http://${host}/api/health`, 'Sec-Fetch-Site: cross-site'));
    // RFC 9112, section 3.2.2: the host of an absolute address counts, not the header.
    expect([403, 404]).toContain(await send('http://evil.example/api/health'));
  });

  it('finds secrets in encoded URLs', async () => {
    for (const path of [
      '/%61pi/tasks?token=x',
      '/api/tasks?a=b&access_token=x',
      '/api/nothing?SESSION=x',
      '/api/tasks?password=x',
      '/api/tasks?q=svc_0123456789012345678901234',
    ])
      expect((await fetch(`${daemon.url}${path}`, { headers: daemon.headers })).status, path).toBe(400);
  });

  it('sends no cross-origin headers', async () => {
    const { host } = new URL(daemon.url);
    const { headers } = await sendRaw(
      daemon.url,
      rawRequest(['OPTIONS /api/tasks HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`]),
    );
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('a route without an access level', () => {
  it.each([{}, { config: {} }])(
    'refuses to start with a route without an access level: %j',
    async (options) => {
      const server = await buildServer(daemon.app);
      expect(() => server.get('/api/open', options, () => 'open')).toThrow('has no access level');
      await server.close();
    },
  );
});

describe('response headers', () => {
  const expected = {
    'content-security-policy': expect.stringMatching(/script-src 'self';.*frame-ancestors 'none'/),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  };
  it.each([
    ['a success', 'GET', '/api/health', 200],
    ['a page', 'GET', '/api/docs', 200],
    ['a list', 'GET', '/api/tasks', 200],
    ['an unknown route', 'GET', '/api/nothing', 404],
    ['an unknown page', 'GET', '/nothing', 404],
    ['an unknown method', 'DELETE', '/api/tasks', 404],
    ['an unknown task', 'GET', '/api/tasks/nothing', 404],
    ['a bad query', 'GET', '/api/tasks?limit=0', 400],
    ['a bad URL', 'GET', '/api/tasks/%E0%A4%A', 400],
    ['a body of the wrong type', 'POST', '/api/tasks', 415],
  ])('sends the security headers with %s', async (_, method, path, status) => {
    const answer = await fetch(new URL(path, daemon.url), {
      method,
      headers: daemon.headers,
      ...(method === 'POST' && { body: 'text' }),
    });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(answer.headers.has('x-powered-by')).toBe(false);
  });

  it('sends the security headers with an error, without a session and with a stream', async () => {
    const refusal = await sendRaw(daemon.url, rawRequest(['GET /api/health HTTP/1.1', 'Host: evil.example']));
    expect(refusal.status).toBe(403);
    expect(refusal.headers).toMatchObject(expected);
    const nobody = await fetch(new URL('/api/tasks', daemon.url));
    expect(nobody.status).toBe(401);
    expect(Object.fromEntries(nobody.headers)).toMatchObject(expected);
    const { task } = await daemon.client.tasks.create({ body: { title: 'Stream' } });
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    const stream = await fetch(new URL(`/api/tasks/${task.id}/events`, daemon.url), {
      headers: { ...daemon.headers, accept: 'text/event-stream' },
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(Object.fromEntries(stream.headers)).toMatchObject(expected);
    await stream.body?.cancel();
  });
});
