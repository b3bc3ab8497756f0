import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorSchemaOf } from '../../src/contract/error-forms.ts';
import { errorBodySchema } from '../../src/contract/primitives.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { allRoutes } from '../helpers/routes.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
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
    'the document is OpenAPI 3.1 without errors by the rules "%s"',
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

  it('the validator finds a planted error in the OpenAPI document', async () => {
    const broken = text.replace('"operationId":"tasks.list"', '"operationId":17');
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: broken, absoluteRef: 'openapi.json', config });
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
  });

  it('the OpenAPI document has every route of the contract and no other', () => {
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

  it('each OpenAPI operation has a unique id', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('the OpenAPI document names every parameter and whether it is required', () => {
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

  it('the OpenAPI document describes query parameters with their parsed types', () => {
    const parameter = (id: string, name: string) =>
      operations()
        .find(({ operationId }) => operationId === id)
        ?.parameters?.find((each) => each.name === name);
    expect(parameter('tasks.list', 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 500,
      default: 50,
    });
    expect(parameter('tasks.list', 'full')?.schema).toEqual({ type: 'boolean' });
    expect(parameter('tasks.list', 'status')?.schema).toMatchObject({
      enum: expect.arrayContaining(['failed']),
    });
    expect(parameter('tasks.filter', 'priority')).toMatchObject({
      description: 'Comma-separated',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 4 } },
    });
    expect(parameter('tasks.filter', 'createdAfter')?.schema).toMatchObject({
      anyOf: [{ format: 'date' }, {}],
    });
    expect(parameter('experiences.list', 'minWeight')?.schema).toMatchObject({ type: 'number', minimum: 0 });
    for (const { parameters = [] } of operations())
      for (const { name, schema } of parameters.filter((each) => each.in === 'query'))
        if (/^(?:limit|offset|after|days|minWeight|full|follow|unread)$/.test(name))
          expect(schema, name).not.toMatchObject({ type: 'string' });
  });

  it.each([
    ['health.get', ['400', '403', '429', '500']],
    ['auth.getMe', ['400', '401', '403', '429', '500']],
    ['agents.list', ['400', '401', '403', '429', '500']],
    ['tasks.get', ['400', '401', '403', '404', '429', '500']],
    ['tasks.create', ['400', '401', '403', '409', '413', '415', '429', '500', '503', '507']],
    ['gateway.submit', ['400', '401', '403', '409', '413', '415', '429', '500', '503', '507']],
    ['guards.update', ['400', '401', '403', '413', '415', '429', '500', '503', '507']],
    ['auth.updateAccessKey', ['400', '401', '403', '413', '415', '429', '500', '501', '503', '507']],
    ['chat.createCompletion', ['400', '401', '403', '404', '413', '415', '429', '500', '503', '507']],
  ])('the OpenAPI document names the errors of %s', (id, expected) => {
    const { responses = {} } = operations().find(({ operationId }) => operationId === id) ?? {};
    expect(Object.keys(responses).filter((status) => /^[45]\d\d$/.test(status))).toEqual(expected);
  });

  it('every error in the OpenAPI document has the error body, unless the route has its own', () => {
    for (const { name, route } of allRoutes)
      for (const [status, response] of Object.entries(operationOf(route)?.responses ?? {})) {
        if (!/^[45]/.test(status) || route.also?.[Number(status)]) continue;
        const { $ref } = response as { $ref?: string };
        const shared = $ref && document.components.responses[$ref.split('/').at(-1) ?? ''];
        const form = errorSchemaOf(route.path).meta()?.id;
        expect(shared ?? response, `${name} ${status}`).toMatchObject({
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${form}` } } },
        });
      }
  });

  it('the OpenAPI document states the limit of each rate-limited route', () => {
    const { responses } = operations().find(({ operationId }) => operationId === 'auth.login') ?? {};
    expect(responses?.['429']).toMatchObject({
      description: 'Too many requests: at most 10 in 60 s per address',
    });
  });

  it('the OpenAPI document has no type that refers to itself', () => {
    const { schemas } = document.components;
    const reach = (name: string, path: string[]): void => {
      expect(path).not.toContain(name);
      for (const [, next] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g))
        reach(next ?? '', [...path, name]);
    };
    for (const name of Object.keys(schemas)) reach(name, []);
  });

  it('the OpenAPI document names the content types of streams and text beside JSON', () => {
    const content = (id: string) =>
      Object.keys(
        operations().find(({ operationId }) => operationId === id)?.responses['200']?.content ?? {},
      );
    expect(content('tasks.listEvents')).toEqual(['application/json', 'text/event-stream']);
    expect(content('health.getMetrics')).toEqual(['application/json', 'text/plain']);
    expect(content('tasks.list')).toEqual(['application/json']);
  });

  it('the OpenAPI document has no dangling references, and keeps the ids of objects', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(20);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([...new Set(references)]),
    );
    expect(document.components.schemas['Task']).toMatchObject({ properties: { id: { type: 'string' } } });
  });

  it('the error body in the OpenAPI document matches real errors', async () => {
    expect(document.components.schemas['Error']).toMatchObject({ required: ['error'] });
    const response = await fetch(`${daemon.url}/api/tasks?limit=0`, { headers: daemon.headers });
    expect(errorBodySchema.strict().parse(await response.json())).toMatchObject({
      details: [{ path: 'limit' }],
    });
  });
});

describe('GET /api/docs', () => {
  it('the API reference is a page with every route and without a script', async () => {
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
