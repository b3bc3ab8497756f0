import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { allRoutes, samplePath } from '../helpers/routes.ts';

let daemon: TestDaemon;
let authorization: string;
beforeAll(async () => {
  daemon = await startDaemon();
  const { token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: ['gateway:write'] } });
  authorization = `Bearer ${token}`;
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function send(
  method: string,
  path: string,
  body: string,
  headers: Record<string, string> = daemon.headers,
) {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const lists = (count: number) => `[${'[],'.repeat(count)}1]`;

describe('the size of a body', () => {
  it('is measured before a value is built from it', async () => {
    const answer = await send('POST', '/api/tasks', `{"title":"a","metadata":{"a":${lists(200_000)}}}`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'The body has more than 65536 values' } });
  });

  it('leaves room for a large body that people send', async () => {
    const labels = Array.from({ length: 20_000 }, (_, at) => ({ name: `label ${at}` }));
    const answer = await send('POST', '/api/tasks', JSON.stringify({ title: 'a', metadata: { labels } }));
    expect(answer.status).toBe(201);
  });

  it('is small for people who are not signed in', async () => {
    const meta = `{"requesterId":"a","meta":{"a":${lists(2000)}}}`;
    expect(await send('POST', '/api/devices/pairing/request', meta, {})).toMatchObject({
      status: 400,
      body: { error: 'The body has more than 1024 values' },
    });
    expect((await send('POST', '/api/devices/pairing/request', ' '.repeat(16_385), {})).status).toBe(413);
    expect((await send('POST', '/api/auth/login', ' '.repeat(65_537), {})).status).toBe(413);
  });

  it.each(allRoutes.filter(({ route }) => route.body && !route.itemsLaterIn))(
    'has a limit of levels and of values in $name',
    async ({ route }) => {
      const headers = route.access === 'token' ? { authorization } : daemon.headers;
      const limit = Math.max(8 * 1024 * 1024, route.bodyLimit ?? 0);
      for (const body of [`{"a":${lists(limit / 16)}}`, `${'[ '.repeat(65)}${']'.repeat(65)}`]) {
        const answer = await send(route.method, samplePath(route), body, headers);
        expect([400, 413, 429], JSON.stringify(answer.body)).toContain(answer.status);
        if (answer.status === 400)
          expect(JSON.stringify(answer.body['error'])).toMatch(/nested deeper than 64|has more than/);
      }
    },
  );
});

describe('an import with hostile tasks', () => {
  const good = (id: string) =>
    `{"id":"${id}","title":"a","status":"completed","createdAt":"2026-01-02T03:04:05.678Z"}`;
  const hostile = [
    '{"length":{"toString":"x"}}',
    good('task_x').replace('"a"', '{"length":{"toString":"x"}}'),
    good('task_x').replace('"a"', '"a\\u0000"'),
    good('task_x').replace('"a"', '"\\ud800"'),
    good('task_x').replace('}', ',"__proto__":{"x":1}}'),
    good('task_x').replace('}', ',"metadata":{"constructor":1}}'),
    good('task_x').replace('}', `,"metadata":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`),
    'null',
    '1e999',
    '[]',
  ];
  it('takes the others in and says what is wrong with each', async () => {
    const tasks = [good('task_first'), ...hostile, good('task_last')];
    const answer = await send('POST', '/api/tasks/import', `{"version":"1","tasks":[${tasks.join(',')}]}`);
    expect(answer).toMatchObject({ status: 200, body: { imported: 2, skipped: 0 } });
    const errors = answer.body['errors'] as { index: number; error: string }[];
    expect(errors.map(({ index }) => index)).toEqual(hostile.map((_, at) => at + 1));
    for (const { error } of errors) expect(error).toMatch(/^\S.*\w/);
  });
});
