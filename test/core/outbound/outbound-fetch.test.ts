import { describe, expect, it } from 'vitest';
import { createOutboundFetch, type OutboundRequest } from '../../../src/core/outbound/outbound-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { version } from '../../../src/core/version.ts';
import { startLoopbackServer } from './loopback-server.ts';

const get: OutboundRequest = { method: 'GET', timeoutMs: 5000, maxBytes: 1000 };

/** A way out that is closed after the test. */
function wayOut(allowed: string[] = []) {
  const outbound = createOutboundFetch(() => allowed);
  return { fetch: outbound.fetch, [Symbol.asyncDispose]: () => outbound.close() };
}
const local = () => wayOut(['127.0.0.0/8']);

describe('the destination of a request', () => {
  const spellings = (port: number) => [
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://127.1:${port}`,
    `http://2130706433:${port}`,
    `http://0x7f000001:${port}`,
    `http://0x7f.0.0.1:${port}`,
    `http://0177.0.0.1:${port}`,
    `http://017700000001:${port}`,
    `http://0:${port}`,
    `http://①②⑦.⓪.⓪.①:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
    `http://[::ffff:7f00:1]:${port}`,
    `http://[::1]:${port}`,
    `http://[64:ff9b::7f00:1]:${port}`,
    `http://127.0.0.1.:${port}`,
    `HTTP://LOCALHOST:${port}`,
    `http://[::FFFF:7F00:1]:${port}`,
    `http://[::127.0.0.1]:${port}`,
    `http://[2002:7f00:1::]:${port}`,
    `http://[0:0:0:0:0:ffff:127.0.0.1]:${port}`,
    `http://[fe80::1%25lo]:${port}`,
    `http://localhost.:${port}`,
    `http://ｌｏｃａｌｈｏｓｔ:${port}`,
  ];

  it('refuses a request to this machine in any notation', async () => {
    await using server = await startLoopbackServer((response) => response.end('inside'));
    await using out = wayOut();
    for (const url of spellings(server.port)) await expect(out.fetch(url, get), url).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });

  it('a refused request names the setting that allows it', async () => {
    await using out = wayOut();
    await expect(out.fetch('http://169.254.169.254/latest/meta-data', get)).rejects.toMatchObject({
      code: 'forbidden',
      message:
        'Requests to 169.254.169.254 are not allowed: it is not a public address (outbound.allowPrivate)',
    });
    await expect(out.fetch('http://localhost:9999', get)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/plain,hello',
    'javascript:1',
    'gopher://x/',
  ])('refuses a URL other than http and https: %s', async (url) => {
    await using out = local();
    await expect(out.fetch(url, get)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each(['http://user@127.0.0.1', 'http://user:password@127.0.0.1', 'http://:password@example.com'])(
    'refuses a URL with a name or password: %s',
    async (url) => {
      await using out = local();
      await expect(out.fetch(url, get)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'A user name or password in a URL is not allowed',
      });
    },
  );

  it('refuses ports of other protocols', async () => {
    await using out = local();
    await expect(out.fetch('http://127.0.0.1:25/', get)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Requests to 127.0.0.1:25 are not allowed: it is not a port for HTTP',
    });
  });

  it('refuses an invalid URL', async () => {
    await using out = local();
    for (const url of ['', 'example.com', 'http://', 'http://[::1', 'http://1.2.3.256'])
      await expect(out.fetch(url, get), url).rejects.toMatchObject({ code: 'validation' });
  });

  it('allows a request to a private range that is configured, and to no other', async () => {
    await using server = await startLoopbackServer((response) => response.end('inside'));
    await using out = local();
    expect(await out.fetch(server.url, get)).toMatchObject({ status: 200, text: 'inside' });
    expect(await out.fetch(`http://localhost:${server.port}`, get)).toMatchObject({ text: 'inside' });
    await expect(out.fetch('http://10.0.0.1', get)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('applies a changed outbound setting', async () => {
    await using server = await startLoopbackServer((response) => response.end('inside'));
    const allowed: string[] = [];
    const outbound = createOutboundFetch(() => allowed);
    await expect(outbound.fetch(server.url, get)).rejects.toMatchObject({ code: 'forbidden' });
    allowed.push('127.0.0.1/32');
    expect((await outbound.fetch(server.url, get)).status).toBe(200);
    allowed.length = 0;
    await expect(outbound.fetch(server.url, get)).rejects.toMatchObject({ code: 'forbidden' });
    await outbound.close();
  });
});

describe('the response to a request', () => {
  it.each([301, 302, 303, 307, 308])('returns a redirect instead of following it: %i', async (status) => {
    await using server = await startLoopbackServer((response, { path }) =>
      path === '/secret' ? response.end('secret') : response.writeHead(status, { location: '/secret' }).end(),
    );
    await using out = local();
    const answer = await out.fetch(server.url, get);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBe('/secret');
    expect(server.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('accepts a response up to the limit and no longer', async () => {
    await using server = await startLoopbackServer((response, { path }) =>
      response.end('x'.repeat(Number(path.slice(1)))),
    );
    await using out = local();
    expect((await out.fetch(`${server.url}/1000`, get)).text).toHaveLength(1000);
    await expect(out.fetch(`${server.url}/1001`, get)).rejects.toThrow('longer than 1000 bytes');
  });

  it('aborts a response that never finishes', async () => {
    let isCut = false;
    await using server = await startLoopbackServer((response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood).on('close', () => (isCut = true));
      flood();
    });
    await using out = local();
    await expect(out.fetch(server.url, { ...get, maxBytes: 1_000_000 })).rejects.toThrow('longer than');
    await expect.poll(() => isCut).toBe(true);
  });

  it('times out when a response never starts or trickles', async () => {
    await using server = await startLoopbackServer((response, { path }) => {
      if (path === '/silent') return;
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await using out = local();
    for (const path of ['/silent', '/trickle'])
      await expect(out.fetch(server.url + path, { ...get, timeoutMs: 200 })).rejects.toMatchObject({
        code: 'unavailable',
        fault: 'timeout',
        message: `127.0.0.1:${server.port} did not answer in time`,
      });
  });

  it('aborts a request with its caller, which the server notices', async () => {
    let isClosed = false;
    await using server = await startLoopbackServer((response) =>
      response.on('close', () => (isClosed = true)),
    );
    await using out = local();
    const controller = new AbortController();
    const answer = out.fetch(server.url, { ...get, signal: controller.signal });
    const failed = expect(answer).rejects.toThrow('enough');
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort(new Error('enough'));
    await failed;
    await expect.poll(() => isClosed).toBe(true);
  });

  it('aborts a request that still waits for its connection, and never sends it', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    const found = Promise.withResolvers<{ address: string; family: number }[]>();
    const resolver = new Resolver(() => found.promise);
    const outbound = createOutboundFetch(() => ['127.0.0.0/8'], resolver);
    const controller = new AbortController();
    const url = `http://late.example:${server.port}`;
    const answer = outbound.fetch(url, { ...get, signal: controller.signal });
    const failed = expect(answer).rejects.toThrow('enough');
    const other = outbound.fetch(url, get);
    controller.abort(new Error('enough'));
    await failed;
    found.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect((await other).status).toBe(200);
    await outbound.close();
    expect(server.requests).toHaveLength(1);
  });

  it('sends nothing if its caller has aborted before', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using out = local();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(out.fetch(server.url, { ...get, signal })).rejects.toThrow('enough');
    expect(server.requests).toEqual([]);
  });

  it('waits for the response after an interim one', async () => {
    await using server = await startLoopbackServer((response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response
        .writeHead(201, [
          ['x-two', 'a'],
          ['X-Two', 'b'],
        ] as never)
        .end('made');
    });
    await using out = local();
    const { status, text, headers } = await out.fetch(server.url, get);
    expect({ status, text, two: headers.get('X-Two') }).toEqual({ status: 201, text: 'made', two: 'a, b' });
    expect(headers.get('constructor')).toBeNull();
    expect(headers.has('link')).toBe(false);
  });

  it('names itself and accepts anything unless the caller says otherwise', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using out = local();
    await out.fetch(server.url, get);
    await out.fetch(server.url, { ...get, headers: { 'User-Agent': ' other\n', Accept: 'text/css' } });
    expect(server.requests.map(({ headers }) => [headers['user-agent'], headers.accept])).toEqual([
      [`svc/${version}`, '*/*'],
      ['other', 'text/css'],
    ]);
  });

  it('rejects a header that would add another one', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using out = local();
    const headers = { 'x-test': 'a\r\nx-more: b' };
    await expect(out.fetch(server.url, { ...get, headers })).rejects.toMatchObject({ fault: 'network' });
    expect(server.requests).toEqual([]);
  });

  it('sends method, headers and body unchanged', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(202).end('{}'));
    await using out = local();
    await out.fetch(server.url, { ...get, method: 'POST', headers: { 'x-test': 'yes' }, body: '{"a":"ä"}' });
    expect(server.requests).toMatchObject([
      { method: 'POST', body: '{"a":"ä"}', headers: { 'x-test': 'yes' } },
    ]);
  });
});
