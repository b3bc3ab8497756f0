import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../src/contract/index.ts';
import { allRoutes } from './helpers/routes.ts';

const root = new URL('..', import.meta.url).pathname;
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => {
  const text = readFileSync(`${root}${path}`, 'utf8');
  return { path, text, lines: text.trimEnd().split('\n').length };
});

describe('the contract', () => {
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
});

describe('the neutral names of the wire', () => {
  it('are in the contract alone: everything else has the names of the products', () => {
    const neutral = sources.filter(({ text }) => /codehost|tracker[-_]?[ab]\b/i.test(text));
    expect(neutral.map(({ path }) => path).filter((path) => !path.startsWith('src/contract/'))).toEqual([
      // What an index of an old database says stays.
      'src/core/storage/postgres/schema/access.ts',
      'src/core/storage/migrations/auth.ts',
    ]);
  });
});

describe('the core', () => {
  it('reaches the network through core/outbound alone, by no way that the linter does not see', () => {
    const network =
      /(?:from |import\()'(?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?|undici|ws)'|globalThis\.(?:fetch|WebSocket|EventSource)|getBuiltinModule/;
    // The socket of the process that starts programs is a file in a directory of the daemon.
    const outside = sources.filter(({ path }) =>
      /^src\/core\/(?!outbound\/|processes\/fork-server\/)/.test(path),
    );
    expect(outside.filter(({ text }) => network.test(text)).map(({ path }) => path)).toEqual([]);
    expect(sources.filter(({ text }) => network.test(text)).length).toBeGreaterThan(0);
  });
});
