import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorSchemaOf } from '../../src/contract/error-forms.ts';
import { a2aPath } from '../../src/contract/a2a-path.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { rawRequest, sendRaw } from '../helpers/raw-http.ts';
import { allRoutes, samplePath } from '../helpers/routes.ts';

let daemon: TestDaemon;
let host: string;
let cookie: string;
let token: string;
let before: unknown;

beforeAll(async () => {
  daemon = await startDaemon({ flags: { 'a2a.enabled': true } });
  host = new URL(daemon.url).host;
  cookie = `Cookie: ${daemon.headers.cookie}`;
  ({ token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: ['gateway:write'] } }));
  await daemon.client.tasks.create({ body: { title: 'The only one' } });
  before = await stored();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const stored = async () => {
  const [{ tasks }, { settings }] = await Promise.all([
    daemon.client.tasks.list({ query: { full: true, limit: 500 } }),
    daemon.client.config.list(),
  ]);
  return { tasks, settings };
};

/** Refused in our own form, and nothing is stored. */
async function expectRefusal(answer: { status: number; body: string }, status: number) {
  expect(answer, answer.body).toMatchObject({ status });
  expect(JSON.parse(answer.body)).toEqual({
    error: expect.stringMatching(/\w/),
    ...(answer.body.includes('"details"') && {
      details: expect.arrayContaining([{ path: expect.any(String), message: expect.any(String) }]),
    }),
  });
  await expectNothingStored();
}
/** Compares with the counts before, and keeps the new ones, so that one failure does not fail the next test. */
async function expectNothingStored() {
  const was = before;
  before = await stored();
  expect(before).toEqual(was);
}

async function send(
  method: string,
  path: string,
  body?: string | Buffer,
  type = 'application/json',
  credential: Record<string, string> = daemon.headers,
) {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { ...credential, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return { status: response.status, body: await response.text() };
}
const create = (body: unknown) => send('POST', '/api/tasks', JSON.stringify(body));
const ok = { title: 'A title' };
const nested = (levels: number): unknown => (levels === 0 ? 0 : { a: nested(levels - 1) });

describe('the body of a new task', () => {
  it.each<[string, unknown]>([
    ['no title', {}],
    ['an empty title', { title: '' }],
    ['a title of spaces', { title: ' \t\n ' }],
    ['a title that is a number', { title: 1 }],
    ['a title that is null', { title: null }],
    ['a title that is a list', { title: ['A title'] }],
    ['a title of 501 characters', { title: 'x'.repeat(501) }],
    ['a description of 20,001 characters', { ...ok, description: 'x'.repeat(20_001) }],
    ['a prompt of 200,001 characters', { ...ok, prompt: 'x'.repeat(200_001) }],
    ['priority 0', { ...ok, priority: 0 }],
    ['priority 5', { ...ok, priority: 5 }],
    ['priority 1.5', { ...ok, priority: 1.5 }],
    ['a priority in text', { ...ok, priority: '1' }],
    ['an unknown source', { ...ok, source: 'email' }],
    ['a source URL that is none', { ...ok, sourceUrl: 'example.org' }],
    ['a source URL of script', { ...ok, sourceUrl: 'javascript:alert(1)' }],
    ['a source URL of a file', { ...ok, sourceUrl: 'file:///etc/passwd' }],
    ['a repository without owner', { ...ok, repository: 'repo' }],
    ['a repository with too many parts', { ...ok, repository: 'a/b/c' }],
    ['a branch with a space', { ...ok, branch: 'a b' }],
    ['a branch that is an option', { ...ok, branch: '--upload-pack=x' }],
    ['a branch that climbs', { ...ok, branch: 'a/../b' }],
    ['labels that are text', { ...ok, labels: 'bug' }],
    ['labels that are numbers', { ...ok, labels: [1] }],
    ['51 labels', { ...ok, labels: Array.from({ length: 51 }, (_, index) => `l${index}`) }],
    ['a label of 101 characters', { ...ok, labels: ['x'.repeat(101)] }],
    ['an empty label', { ...ok, labels: [''] }],
    ['a relative cwd', { ...ok, cwd: 'tmp' }],
    ['no attempts', { ...ok, maxAttempts: 0 }],
    ['21 attempts', { ...ok, maxAttempts: 21 }],
    ['metadata that is a list', { ...ok, metadata: [] }],
    ['an empty idempotency key', { ...ok, idempotencyKey: '' }],
    ['an idempotency key of 256 characters', { ...ok, idempotencyKey: 'x'.repeat(256) }],
    ['a list', [ok]],
    ['an empty list', []],
    ['text', 'A title'],
    ['a number', 1],
    ['null', null],
    ['65 levels', { ...ok, metadata: nested(64) }],
    ['65 levels in what is dropped', { ...ok, unknown: nested(64) }],
    ['a NUL character', { title: 'a\0b' }],
    ['a NUL character in a key', { ...ok, metadata: { 'a\0b': 1 } }],
    ['half of a surrogate pair', { title: 'a\ud800b' }],
    ['half of a surrogate pair in a key', { ...ok, metadata: { '\udfff': 1 } }],
  ])('rejects a new task with %s', async (_, body) => {
    await expectRefusal(await create(body), 400);
  });

  it.each([
    ['text that is no JSON', '{"title":'],
    ['two documents', '{"title":"a"}{"title":"b"}'],
    ['single quotes', "{'title':'a'}"],
    ['a comment', '{"title":"a"/**/}'],
    ['NaN', '{"title":"a","priority":NaN}'],
    ['a byte order mark', '\ufeff{"title":"a"}'],
    ['only a space', ' '],
    ['a key __proto__', '{"title":"a","__proto__":{"priority":1}}'],
    ['a key __proto__ deep inside', '{"title":"a","metadata":{"a":[{"__proto__":1}]}}'],
    ['an escaped key __proto__', '{"title":"a","\\u005f_proto__":{}}'],
    ['a key constructor', '{"title":"a","constructor":{"prototype":{"polluted":1}}}'],
    ['a lone surrogate as an escape', '{"title":"\\ud800"}'],
    ['a NUL as an escape', '{"title":"\\u0000"}'],
    ['100,000 open brackets', '['.repeat(100_000)],
    ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a number that is too large', '{"title":"a","priority":1e999}'],
  ])('rejects a new task with %s', async (_, body) => {
    await expectRefusal(await send('POST', '/api/tasks', body), 400);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['a broken sequence', [0xc3, 0x28]],
    ['an overlong one', [0xc0, 0xaf]],
    ['half of one', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xe9]],
  ])('rejects a body that is not UTF-8: %s', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"title":"a'), Buffer.from(bytes), Buffer.from('"}')]);
    await expectRefusal(await send('POST', '/api/tasks', body), 400);
  });

  it('rejects a new task without a body', async () => {
    await expectRefusal(await send('POST', '/api/tasks'), 400);
    await expectRefusal(await send('POST', '/api/tasks', ''), 400);
  });

  it('accepts a body of 1 MiB and rejects one byte more', async () => {
    const frame = Buffer.byteLength('{"title":"a","x":""}');
    const sized = (bytes: number) => `{"title":"","x":"${'x'.repeat(bytes - frame + 1)}"}`;
    await expectRefusal(await send('POST', '/api/tasks', sized(1024 * 1024)), 400);
    await expectRefusal(await send('POST', '/api/tasks', sized(1024 * 1024 + 1)), 413);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/xml',
    'json',
  ])('rejects a new task as %s', async (type) => {
    await expectRefusal(await send('POST', '/api/tasks', '{"title":"a"}', type), 415);
  });

  it('rejects a body without a content type', async () => {
    const request = rawRequest(['POST /api/tasks HTTP/1.1', `Host: ${host}`, cookie], '{"title":"a"}');
    await expectRefusal(await sendRaw(daemon.url, request), 415);
  });
});

describe('every route that takes a body', () => {
  const taking = allRoutes.filter(({ route }) => route.body);
  it.each(taking)('rejects broken bodies of $name', async ({ route }) => {
    const path = samplePath(route);
    const credential = route.access === 'token' ? { authorization: `Bearer ${token}` } : daemon.headers;
    for (const body of ['{', '[]', '"text"', '1', 'null', '{"__proto__":1}', '[{"a":"\\u0000"}]']) {
      const { status, body: text } = await send(route.method, path, body, 'application/json', credential);
      // The one that counts its callers may have had enough of us; JSON-RPC has its errors in an answer.
      if (status === 200 && route.path === a2aPath)
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 } });
      else expect([400, 429], `${body}: ${text}`).toContain(status);
      expect(errorSchemaOf(route.path).safeParse(JSON.parse(text)).success, text).toBe(true);
    }
    const text = await send(route.method, path, '{}', 'text/plain', credential);
    expect(route.limit ? [415, 429] : [415]).toContain(text.status);
    expect(errorSchemaOf(route.path).safeParse(JSON.parse(text.body)).success, text.body).toBe(true);
    await expectNothingStored();
  });
});

describe('invalid URLs and headers', () => {
  it.each([
    ['an unknown route', 'GET', '/api/nothing'],
    ['the root of the API', 'GET', '/api'],
    ['an unknown page', 'GET', '/index.php'],
    ['an unknown method', 'DELETE', '/api/tasks'],
    ['PATCH', 'PATCH', '/api/tasks/task_1'],
    ['PUT of a list', 'PUT', '/api/tasks'],
    ['OPTIONS', 'OPTIONS', '/api/tasks'],
    ['another case', 'GET', '/API/tasks'],
    ['a slash at the end', 'GET', '/api/tasks/task_1/'],
    ['two slashes', 'GET', '//api/tasks'],
    ['a climb', 'GET', '/api/tasks/%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
    ['an unknown task', 'GET', '/api/tasks/task_1'],
    ['a task named __proto__', 'GET', '/api/tasks/__proto__'],
    ['a task with a quote', 'GET', "/api/tasks/'%20or%201=1--"],
    ['a task with a NUL', 'GET', '/api/tasks/a%00b'],
    ['the events of an unknown task', 'GET', '/api/tasks/task_1/events'],
    ['an unknown dead letter', 'POST', '/api/dlq/dlq_1/retry'],
    ['an unknown notification', 'POST', '/api/notifications/ntf_1/read'],
  ])('answers 404 to %s', async (_, method, path) => {
    await expectRefusal(await send(method, path), 404);
  });

  it.each([
    ['broken percent encoding', '/api/tasks/%'],
    ['half of a character', '/api/tasks/%E0%A4%A'],
    ['bytes that are no UTF-8', '/api/tasks/%ff'],
    ['an id of 201 characters', `/api/tasks/${'x'.repeat(201)}`],
    ['no limit', '/api/tasks?limit='],
    ['limit 0', '/api/tasks?limit=0'],
    ['limit 501', '/api/tasks?limit=501'],
    ['limit -1', '/api/tasks?limit=-1'],
    ['limit 1.5', '/api/tasks?limit=1.5'],
    ['limit 1e2', '/api/tasks?limit=1e2'],
    ['limit abc', '/api/tasks?limit=abc'],
    ['limit twice', '/api/tasks?limit=1&limit=2'],
    ['a limit in brackets', '/api/tasks?limit[]=1&limit=x'],
    ['offset -1', '/api/tasks?offset=-1'],
    ['an offset beyond all', '/api/tasks?offset=99999999999999999999'],
    ['an unknown status', '/api/tasks?status=done'],
    ['status twice', '/api/tasks?status=pending&status=queued'],
    ['an unknown field', '/api/tasks?fields=id,owner_id'],
    ['fields twice', '/api/tasks?fields=id&fields=title'],
    ['full maybe', '/api/tasks?full=maybe'],
    ['a cursor that was made up', '/api/tasks?cursor=AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['an empty cursor', '/api/tasks?cursor='],
    ['a cursor of JSON', '/api/tasks?cursor=%7B%7D'],
    ['a cursor of 1,001 characters', `/api/tasks?cursor=${'A'.repeat(1001)}`],
    ['a cursor and an offset', '/api/tasks?cursor=AAAA&offset=0'],
    ['an unknown priority', '/api/tasks/filter?priority=5'],
    ['a priority in words', '/api/tasks/filter?priority=high'],
    ['an unknown source', '/api/tasks/filter?source=api,email'],
    ['an unknown order', '/api/tasks/filter?sortBy=title'],
    ['an order of SQL', '/api/tasks/filter?sortBy=id;drop%20table%20tasks'],
    ['an unknown direction', '/api/tasks/filter?sortOrder=up'],
    ['a date in words', '/api/tasks/filter?createdAfter=yesterday'],
    ['a day that is none', '/api/tasks/filter?createdAfter=2026-02-30'],
    ['a month that is none', '/api/tasks/filter?createdBefore=2026-13-01'],
    ['a time without a zone', '/api/tasks/filter?completedAfter=2026-01-01T00:00:00'],
    ['a number for a date', '/api/tasks/filter?completedBefore=1700000000'],
    ['days 0', '/api/tasks/analytics?days=0'],
    ['days 366', '/api/tasks/analytics?days=366'],
    ['after -1', '/api/tasks/task_1/events?after=-1'],
    ['5,001 events', '/api/tasks/task_1/events?limit=5001'],
    ['an unknown dead-letter status', '/api/dlq?status=open'],
    ['501 dead letters', '/api/dlq?limit=501'],
    ['unread perhaps', '/api/notifications?unread=perhaps'],
    ['a session in the query', '/api/tasks?session=abc'],
    ['a token in the query', '/api/tasks?limit=1&token=abc'],
    ['an access token in the query', '/api/tasks?access_token='],
    ['an API key in the query', '/api/health?API_KEY=abc'],
    ['a key in the query', '/api/nothing?key=abc'],
  ])('answers 400 to %s', async (_, path) => {
    await expectRefusal(await send('GET', path), 400);
  });

  it('answers 404 to HEAD for a path without GET', async () => {
    expect(await send('HEAD', '/api/gateway')).toEqual({ status: 404, body: '' });
  });

  it('answers 4xx to a path of 5,001 characters', async () => {
    const answer = await send('GET', `/api/tasks/${'x'.repeat(5001)}`);
    expect([400, 404, 414]).toContain(answer.status);
    await expectRefusal(answer, answer.status);
  });

  it('answers 400 to a Last-Event-ID that is not a number', async () => {
    const [task] = (await daemon.client.tasks.list()).tasks;
    for (const id of ['x', '-1', '1.5', '9'.repeat(20), '1 or 1']) {
      const response = await fetch(new URL(`/api/tasks/${task?.id}/events`, daemon.url), {
        headers: { ...daemon.headers, accept: 'text/event-stream', 'last-event-id': id },
      });
      expect(response.status, id).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'Validation failed' });
    }
  });
});

describe('invalid HTTP', () => {
  const get = (...lines: string[]) => rawRequest(['GET /api/health HTTP/1.1', `Host: ${host}`, ...lines]);
  it.each<[string, () => string | Buffer]>([
    ['words', () => 'hello\r\n\r\n'],
    ['random bytes', () => Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 37) % 256))],
    ['a TLS greeting', () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5])],
    ['an unknown method', () => `FETCH /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['another version', () => `GET /api/health HTTP/9.9\r\nHost: ${host}\r\n\r\n`],
    ['a header without a colon', () => get('Nonsense')],
    ['a header name with a space', () => get('A b: c')],
    ['a folded header', () => get('A: b', ' c')],
    ['a NUL in a header', () => get('A: b\0c')],
    ['a header of 17 KiB', () => get(`A: ${'x'.repeat(17 * 1024)}`)],
    [
      'headers of 17 KiB together',
      () => get(...Array.from({ length: 170 }, (_, at) => `A${at}: ${'x'.repeat(95)}`)),
    ],
    ['an address of 17 KiB', () => `GET /${'x'.repeat(17 * 1024)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['two lengths', () => get('Content-Length: 1', 'Content-Length: 2')],
    ['a length and chunks', () => get('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a length below zero', () => get('Content-Length: -1')],
    ['a length in words', () => get('Content-Length: ten')],
    ['an unknown transfer encoding', () => get('Transfer-Encoding: identity')],
    [
      'a chunk whose length is no number',
      () =>
        `POST /api/tasks HTTP/1.1\r\nHost: ${host}\r\n${cookie}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ])('rejects invalid HTTP: %s', async (_, bytes) => {
    const answer = await sendRaw(daemon.url, bytes());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    await expectRefusal(answer, answer.status);
    expect((await daemon.client.health.get()).status).toBe('ok');
  });
});
