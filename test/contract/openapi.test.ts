import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBodySchema } from '../../src/contract/primitives.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { allRoutes } from '../helpers/routes.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

let daemon: TestDaemon;
let text: string;
let document: Document;

beforeAll(async () => {
  daemon = await startDaemon();
  text = await (await fetch(`${daemon.url}/api/openapi.json`)).text();
  document = JSON.parse(text) as Document;
});
afterAll(() => daemon[Symbol.asyncDispose]());

const operationOf = ({ method, path }: { method: string; path: string }) =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('GET /api/openapi.json', () => {
  it.each(['spec', 'recommended'] as const)(
    'is OpenAPI 3.1 without errors by the rules "%s"',
    async (rules) => {
      expect(document.openapi).toMatch(/^3\.1\.\d$/);
      const config = await createConfig({ extends: [rules] });
      const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
        [],
      );
    },
  );

  it('would be found wrong if it were', async () => {
    const broken = text.replace('"operationId":"tasks.list"', '"operationId":17');
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: broken, absoluteRef: 'openapi.json', config });
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
  });

  it('has every route of the contract and no other', () => {
    for (const { name, route } of allRoutes) {
      const operation = operationOf(route);
      expect(operation, name).toMatchObject({ operationId: name, summary: route.summary });
      const tokens = (route.scopes ?? []).map((scope) => ({ token: [scope] }));
      const session = route.access === 'session' || route.access === 'admin' ? [{ session: [] }] : [];
      expect(operation?.security, name).toEqual([...session, ...tokens]);
      const success = route.redirect ? 302 : (route.status ?? 200);
      expect(operation?.responses, name).toHaveProperty(String(success));
      for (const status of Object.keys(route.also ?? {}))
        expect(operation?.responses, name).toHaveProperty(status);
      expect(operation?.responses, name).toHaveProperty('4XX');
    }
    expect(operations()).toHaveLength(allRoutes.length);
  });

  it('has an id of its own for each operation', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names every parameter, and which of them have to be there', () => {
    for (const { name, route } of allRoutes) {
      const expected = [
        ...Object.keys(route.params?.shape ?? {}).map((key) => `path ${key} true`),
        ...Object.entries(route.query?.shape ?? {}).map(
          ([key, schema]) => `query ${key} ${!schema.safeParse(undefined).success}`,
        ),
        ...Object.keys(route.headers?.shape ?? {}).map((key) => `header ${key} false`),
      ];
      const found =
        operationOf(route)?.parameters?.map((each) => `${each.in} ${each.name} ${each.required}`) ?? [];
      expect(found, name).toEqual(expected);
    }
  });

  it('says where a stream or text may come instead of JSON', () => {
    const content = (id: string) =>
      Object.keys(
        operations().find(({ operationId }) => operationId === id)?.responses['200']?.content ?? {},
      );
    expect(content('tasks.events')).toEqual(['application/json', 'text/event-stream']);
    expect(content('health.metrics')).toEqual(['application/json', 'text/plain']);
    expect(content('tasks.list')).toEqual(['application/json']);
  });

  it('refers only to what it holds, and keeps the ids of objects', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(20);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([...new Set(references)]),
    );
    expect(document.components.schemas['Task']).toMatchObject({ properties: { id: { type: 'string' } } });
  });

  it('tells the form of errors, as they are', async () => {
    expect(document.components.schemas['Error']).toMatchObject({ required: ['error'] });
    const response = await fetch(`${daemon.url}/api/tasks?limit=0`, { headers: daemon.headers });
    expect(errorBodySchema.strict().parse(await response.json())).toMatchObject({
      details: [{ path: 'limit' }],
    });
  });
});

describe('GET /api/docs', () => {
  it('is a page with every route and without a script', async () => {
    const response = await fetch(`${daemon.url}/api/docs`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i);
    for (const { route } of allRoutes) {
      expect(page).toContain(route.path.replace(/:(\w+)/g, '{$1}'));
      expect(page).toContain(route.summary.replaceAll("'", '&#39;'));
    }
    const ids = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });
});
