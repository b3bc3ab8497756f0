import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { hostileJson } from '../helpers/hostile-json.ts';
import { everyNth } from '../helpers/long.ts';
import { allRoutes, samplePath } from '../helpers/routes.ts';
import { fieldsOf } from '../helpers/schema-fields.ts';

let daemon: TestDaemon;
let token: string;
const failures: unknown[] = [];

beforeAll(async () => {
  const note = (fields: object, message: string) => failures.push({ ...fields, message });
  const silent = () => undefined;
  daemon = await startDaemon({
    log: { debug: silent, info: silent, warn: silent, error: note },
  });
  ({ token } = await daemon.client.tokens.create({
    body: { name: 'x', scopes: ['gateway:write', 'gateway:read'] },
  }));
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function send(access: string, method: string, path: string, body?: string) {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: {
      ...(access === 'token' ? { authorization: `Bearer ${token}` } : daemon.headers),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, text };
}
const mark = '\u2063here\u2063';

describe('every field of every route', () => {
  it.each(allRoutes.filter(({ route }) => route.body))(
    'is read in the body of $name without a server error',
    async ({ route }) => {
      for (const [index, { path, around }] of fieldsOf(route.body!).entries()) {
        const frame = JSON.stringify(around(mark)) ?? '';
        for (const hostile of everyNth(10, hostileJson, index)) {
          const body = frame.replace(JSON.stringify(mark), () => hostile);
          const { status, text } = await send(route.access, route.method, samplePath(route), body);
          // 501 and 503 say what is not set up here.
          expect([500, 502, 504, 507], `${path}: ${body.slice(0, 200)}: ${text}`).not.toContain(status);
        }
      }
      expect(failures).toEqual([]);
    },
    60_000,
  );

  it.each(allRoutes.filter(({ route }) => route.query))(
    'is read in the query of $name without a server error',
    async ({ route }) => {
      const odd = [
        '',
        '%00',
        '%ED%A0%80',
        '1e999',
        '-0',
        '9'.repeat(400),
        '[object Object]',
        '{}',
        '__proto__',
      ];
      const fields = Object.keys(route.query!.shape);
      const queries = [
        ...fields.flatMap((field) => odd.map((value) => `${field}=${value}`)),
        ...fields.flatMap((field) => [`${field}[length]=x`, `${field}.length=x`, `${field}=1&${field}=2`]),
        '__proto__=1',
        'constructor=1&toString=1&length=1',
      ];
      for (const query of queries) {
        if (route.events) continue;
        const { status, text } = await send(route.access, route.method, `${samplePath(route)}?${query}`);
        expect([500, 502, 504, 507], `${query}: ${text}`).not.toContain(status);
      }
      expect(failures).toEqual([]);
    },
    60_000,
  );
});
