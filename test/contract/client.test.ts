import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, createClient, type FetchLike } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { allRoutes } from '../helpers/routes.ts';

interface Answer {
  status?: number;
  body?: string;
  chunks?: Uint8Array[];
}
/** A client of a server that gives one answer, and what it was asked. */
function clientOf({ status = 200, body = '{}', chunks }: Answer = {}, headers?: Record<string, string>) {
  const asked: { url: string; init: Parameters<FetchLike>[1] }[] = [];
  const client = createClient(contract, {
    baseUrl: 'http://127.0.0.1:4310',
    ...(headers && { headers }),
    fetch: async (url, init) => {
      asked.push({ url, init });
      return {
        status,
        headers: new Headers(),
        text: async () => body,
        body: (async function* () {
          yield* chunks ?? [];
        })(),
      };
    },
  });
  return { client, asked };
}

describe('a request of the client', () => {
  it('the client has a method for each route, and a second one for each route that streams', () => {
    const { client } = clientOf();
    const methods = Object.entries(client).flatMap(([resource, table]) =>
      Object.keys(table).map((name) => `${resource}.${name}`),
    );
    const streams = allRoutes.filter(({ route }) => route.events).map(({ name }) => `${name}Stream`);
    expect(methods.sort()).toEqual([...allRoutes.map(({ name }) => name), ...streams].sort());
  });

  it.each([
    ['a/b', '/api/tasks/a%2Fb'],
    ['ünï', '/api/tasks/%C3%BCn%C3%AF'],
    ['a?b#c', '/api/tasks/a%3Fb%23c'],
    ['a b+c%', '/api/tasks/a%20b%2Bc%25'],
    ['../queue/status', '/api/tasks/..%2Fqueue%2Fstatus'],
    ['\u{1F600}', '/api/tasks/%F0%9F%98%80'],
  ])('encodes the path parameter %j', async (id, path) => {
    const { client, asked } = clientOf();
    await client.tasks.get({ params: { id } });
    expect(asked[0]?.url).toBe(`http://127.0.0.1:4310${path}`);
  });

  it('a path parameter cannot change the route of a request', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (id) => {
        fc.pre(id !== '.' && id !== '..');
        const { client, asked } = clientOf();
        await client.tasks.cancel({ params: { id } });
        const { pathname, search, hash } = new URL(asked[0]?.url ?? '');
        const parts = pathname.split('/');
        expect([parts.length, parts[4], search, hash]).toEqual([5, 'cancel', '', '']);
        expect(decodeURIComponent(parts[3] ?? '')).toBe(id);
      }),
    );
  });

  it.each(['.', '..', ''])('rejects the path parameter %j, which no path can carry', async (id) => {
    const { client, asked } = clientOf();
    await expect(client.tasks.cancel({ params: { id } })).rejects.toThrow(/id/);
    expect(asked).toEqual([]);
  });

  it('encodes the query and leaves out undefined values', async () => {
    const { client, asked } = clientOf();
    await client.tasks.filter({
      query: { q: 'a&b=c d+é', limit: 5, full: true, status: undefined },
    });
    const { pathname, searchParams } = new URL(asked[0]?.url ?? '');
    expect(pathname).toBe('/api/tasks/filter');
    expect(Object.fromEntries(searchParams)).toEqual({ q: 'a&b=c d+é', limit: '5', full: 'true' });
    await client.tasks.list();
    expect(asked[1]?.url).toBe('http://127.0.0.1:4310/api/tasks');
  });

  it('sends a body and its content type only for an input with a body', async () => {
    const { client, asked } = clientOf({}, { cookie: 'service_session=x' });
    await client.tasks.create({ body: { title: 'é' }, headers: { 'idempotency-key': 'k' } });
    expect(asked[0]?.init).toEqual({
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: 'service_session=x',
        'idempotency-key': 'k',
      },
      body: '{"title":"é"}',
    });
    await client.tasks.cancel({ params: { id: 'x' } });
    expect(asked[1]?.init).toEqual({
      method: 'POST',
      headers: { accept: 'application/json', cookie: 'service_session=x' },
    });
  });

  it('passes the abort signal to fetch', async () => {
    const { client, asked } = clientOf();
    const { signal } = new AbortController();
    await client.tasks.list({}, { signal });
    expect(asked[0]?.init.signal).toBe(signal);
  });
});

describe('an answer to the client', () => {
  it.each([200, 201, 202])('returns the body of an answer of status %i', async (status) => {
    const { client } = clientOf({ status, body: '{"tasks":[]}' });
    expect(await client.tasks.list()).toEqual({ tasks: [] });
  });

  it('an API error carries the message, details and request id of the server', async () => {
    const body = {
      error: 'Validation failed',
      details: [{ path: 'title', message: 'Too short' }],
      requestId: 'r1',
    };
    const { client } = clientOf({ status: 400, body: JSON.stringify(body) });
    const error: unknown = await client.tasks.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      message: 'Validation failed',
      details: body.details,
      requestId: 'r1',
      body,
    });
  });

  it('an API error of its own form keeps its body', async () => {
    const body = { authenticated: false, authMode: 'local', accessKeyRequired: true };
    const { client } = clientOf({ status: 401, body: JSON.stringify(body) });
    await expect(client.auth.getMe()).rejects.toMatchObject({ status: 401, body, message: 'HTTP 401' });
  });

  it.each(['', 'null', '"text"', '17', '[]', '{"error":null}'])(
    'treats an answer of status 500 with the body %j as an error',
    async (body) => {
      const { client } = clientOf({ status: 500, body });
      const error: unknown = await client.tasks.list().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 500, message: 'HTTP 500' });
    },
  );

  it.each([
    [200, '<html>'],
    [502, '<html>Bad gateway</html>'],
    [200, '{"tasks":'],
    [404, 'Not found'],
  ])('an answer of status %i that is not JSON becomes an error that shows it: %s', async (status, body) => {
    const { client } = clientOf({ status, body });
    const error: unknown = await client.tasks.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, message: expect.stringContaining(body) });
  });

  it('shows only the beginning of a long answer that is not JSON', async () => {
    const { client } = clientOf({ status: 502, body: 'x'.repeat(100_000) });
    const error: unknown = await client.tasks.list().catch((reason: unknown) => reason);
    expect((error as Error).message.length).toBeLessThan(300);
  });
});

describe('a stream of the client', () => {
  const stream = async (answer: Answer) => {
    const { client, asked } = clientOf(answer);
    const events: unknown[] = [];
    for await (const event of client.tasks.listEventsStream({ params: { id: 'x' } })) events.push(event);
    return { events, asked };
  };

  it('requests an event stream and yields its events one by one', async () => {
    const chunks = [new TextEncoder().encode('id: 1\ndata: {"seq":1}\n\nid: 2\ndata: {"seq":2}\n\n')];
    const { events, asked } = await stream({ chunks });
    expect(events).toEqual([
      { id: '1', data: { seq: 1 } },
      { id: '2', data: { seq: 2 } },
    ]);
    expect(asked[0]?.init.headers['accept']).toBe('text/event-stream');
  });

  it('a stream is empty when the server has no more events', async () => {
    expect((await stream({ status: 204, body: '' })).events).toEqual([]);
  });

  it('a stream fails with the same error as a request', async () => {
    await expect(stream({ status: 404, body: '{"error":"Task not found"}' })).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'Task not found',
    });
  });
});
