import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../src/contract/index.ts';
import { allRoutes } from './helpers/routes.ts';

/** What the interface promises, by method and path. */
const promised = `
GET /api/tasks
POST /api/tasks
GET /api/tasks/:id
POST /api/tasks/:id/cancel
POST /api/tasks/:id/retry
POST /api/tasks/:id/release
GET /api/tasks/:id/events
GET /api/tasks/filter
GET /api/tasks/analytics
GET /api/tasks/export
POST /api/tasks/import
GET /api/queue/status
POST /api/queue/pause
POST /api/queue/resume
GET /api/dlq
POST /api/dlq/:id/retry
POST /api/dlq/:id/discard
POST /api/dlq/:id/resolve
GET /api/notifications
POST /api/notifications/:id/read
GET /api/health
GET /api/health/detailed
GET /api/health/ready
GET /api/health/metrics
GET /api/agents
GET /api/agents/types
POST /api/auth/signup
POST /api/auth/login
GET /api/auth/me
PATCH /api/auth/me
POST /api/auth/logout
GET /api/auth/codehost
GET /api/auth/codehost/callback
GET /api/auth/codehost/url
POST /api/auth/codehost/token
GET /api/auth/tracker_a
GET /api/auth/tracker_a/callback
GET /api/auth/tracker_b
GET /api/auth/tracker_b/callback
POST /api/auth/invites
GET /api/auth/invites
DELETE /api/auth/invites/:id
GET /api/auth/sessions
DELETE /api/auth/sessions/:id
GET /api/integrations/web-search
PUT /api/integrations/web-search
GET /api/security/audit
GET /api/security/audit/:id
POST /api/gateway
GET /api/gateway/:requestId/status
POST /api/tokens
GET /api/tokens
DELETE /api/tokens/:id
GET /api/devices
PATCH /api/devices/:id
DELETE /api/devices/:id
GET /api/devices/identity
POST /api/devices/attest
POST /api/devices/verify
POST /api/devices/pairing/request
POST /api/devices/pairing/approve
POST /api/devices/pairing/reject
GET /api/devices/pairing/status/:requestId
GET /api/devices/pairing/pending
GET /api/devices/pairing/qr
POST /api/devices/pairing/cleanup
POST /api/auth/verify-access-key
PUT /api/auth/access-key
POST /api/chat/completions
POST /api/chat/quick
POST /api/chat/smart
GET /api/chat/conversations
POST /api/chat/conversations
GET /api/chat/conversations/:id
DELETE /api/chat/conversations/:id
POST /api/chat/conversations/:id/messages
GET /api/chat/models
GET /api/chat/providers
GET /api/chat/providers/:type/models
POST /api/chat/providers/:type/configure
POST /api/chat/providers/:type/health
POST /api/chat/providers/default
`
  .trim()
  .split('\n');

const root = new URL('..', import.meta.url).pathname;
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => {
  const text = readFileSync(`${root}${path}`, 'utf8');
  return { path, text, lines: text.trimEnd().split('\n').length };
});

describe('the contract', () => {
  it.each(promised)('has %s', (route) => {
    expect(allRoutes.map(({ route: { method, path } }) => `${method} ${path}`)).toContain(route);
  });

  it('has no two routes on one method and path, whatever their parameters are called', () => {
    const places = allRoutes.map(({ route }) => `${route.method} ${route.path.replace(/:\w+/g, ':x')}`);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it.each(allRoutes)('says of $name who may call it and what it is for', ({ route }) => {
    expect(['public', 'session', 'admin', 'token']).toContain(route.access);
    if (route.access === 'token') expect(route.scopes).toBeDefined();
    expect(route.summary).toMatch(/^[A-Z][^.!?]{5,79}[^.!?\s]$/);
  });

  it.each(allRoutes)('describes each parameter in the path of $name', ({ route }) => {
    const named = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(route.params?.shape ?? {})).toEqual(named);
  });

  it.each(allRoutes)('takes a body in $name only where the method carries one', ({ route }) => {
    if (route.body) expect(['POST', 'PUT', 'PATCH']).toContain(route.method);
    else if (route.rawBody === undefined) expect(route.bodyLimit).toBeUndefined();
  });

  it.each(Object.keys(contract))('has one file of %s in each layer', (resource) => {
    expect(existsSync(`${root}src/contract/${resource}.ts`)).toBe(true);
    expect(existsSync(`${root}src/daemon/routes/${resource}.ts`)).toBe(true);
  });

  it('limits the attempts to sign in', () => {
    expect(contract.auth.login.limit).toMatchObject({ max: 10, windowMs: 60_000 });
    expect(contract.auth.signup.limit).toMatchObject({ max: 5, windowMs: 60_000 });
    expect(contract.auth.verifyAccessKey.limit).toMatchObject({ max: 10, windowMs: 60_000 });
    expect(contract.pairing.create.limit).toMatchObject({ max: 5, windowMs: 60_000 });
  });
});

describe('the sources', () => {
  it('have no file over 400 lines', () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ path }) => path)).toEqual([]);
  });

  it('have a median under 80 lines, and nine of ten under 200', () => {
    const sorted = sources.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted.length).toBeGreaterThan(50);
    expect(sorted[Math.floor(sorted.length * 0.5)]).toBeLessThan(80);
    expect(sorted[Math.floor(sorted.length * 0.9)]).toBeLessThan(200);
  });

  it('have no barrel files, and no names that say nothing', () => {
    const index = sources.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path);
    expect(index).toEqual(['src/contract/index.ts']);
    const vague = /(^|[/-])(utils?|common|manager|misc|impl|helpers?)[./-]/;
    expect(sources.filter(({ path }) => vague.test(path.slice(4))).map(({ path }) => path)).toEqual([]);
  });

  it('import only what is below them', () => {
    const layers = {
      contract: ['contract'],
      core: ['contract', 'core'],
      daemon: ['contract', 'core', 'daemon'],
    };
    const wrong = sources.flatMap(({ path, text }) => {
      const layer = path.split('/')[1] as keyof typeof layers;
      const allowed = layers[layer] as readonly string[] | undefined;
      const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(
        ([, target = '']) => new URL(target, `file:///${path}`).pathname.split('/')[2] ?? '',
      );
      return allowed
        ? imported.filter((target) => !allowed.includes(target)).map((target) => `${path} > ${target}`)
        : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the core', () => {
  it('reaches the network through core/outbound alone, by no way that the linter does not see', () => {
    const network =
      /(?:from |import\()'(?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?|undici|ws)'|globalThis\.(?:fetch|WebSocket|EventSource)|getBuiltinModule/;
    const outside = sources.filter(({ path }) => /^src\/core\/(?!outbound\/)/.test(path));
    expect(outside.filter(({ text }) => network.test(text)).map(({ path }) => path)).toEqual([]);
    expect(sources.filter(({ text }) => network.test(text)).length).toBeGreaterThan(0);
  });
});

describe('the tests', () => {
  it('have no file over 400 lines', () => {
    const long = globSync('test/**/*.ts', { cwd: root }).filter(
      (path) => readFileSync(`${root}${path}`, 'utf8').trimEnd().split('\n').length > 400,
    );
    expect(long).toEqual([]);
  });
});
