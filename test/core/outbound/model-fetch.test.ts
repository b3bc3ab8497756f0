import { gzipSync, brotliCompressSync, createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createModelFetch } from '../../../src/core/outbound/model-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { startLoopbackServer } from './loopback-server.ts';

/** A way out to models that is closed after the test. */
function wayOut(
  origins: string[] = [],
  allowed: string[] = [],
  address = '127.0.0.1',
  limits: { maxBytes?: number; stallMs?: number } = {},
) {
  const resolver = new Resolver(async () => [{ address, family: address.includes(':') ? 6 : 4 }]);
  const outbound = createModelFetch(
    () => allowed,
    () => new Set(origins),
    { resolver, stallMs: 20_000, ...limits },
  );
  return { fetch: outbound.fetch, [Symbol.asyncDispose]: () => outbound.close() };
}

describe('a request to a model', () => {
  it('a model request may reach this machine only at the configured origin', async () => {
    await using server = await startLoopbackServer((response) => response.end('near'));
    await using out = wayOut([server.url, `http://model.test:${server.port}`]);
    expect(await (await out.fetch(`${server.url}/v1`)).text()).toBe('near');
    expect(await (await out.fetch(`http://model.test:${server.port}/v1`)).text()).toBe('near');
    for (const url of [
      `http://localhost:${server.port}`,
      `http://127.0.0.2:${server.port}`,
      'http://10.0.0.1',
    ])
      await expect(out.fetch(url), url).rejects.toMatchObject({ fault: 'refused' });
    expect(server.requests).toHaveLength(2);
  });

  it.each(['169.254.169.254', '100.100.100.200', '0.0.0.0', 'fd00:ec2::254', 'fe80::1', '224.0.0.1'])(
    'a model request never reaches the reserved address %s',
    async (address) => {
      await using out = wayOut(['http://model.test'], [], address);
      await expect(out.fetch('http://model.test/v1')).rejects.toMatchObject({ fault: 'refused' });
    },
  );

  it.each(['10.1.2.3', '172.16.0.1', '192.168.1.10', 'fd12::1'])(
    'goes to the private address %s only where outbound.allowPrivate names it',
    async (address) => {
      const host = address.includes(':') ? `[${address}]` : address;
      await using out = wayOut(['http://model.test', `http://${host}`], [], address);
      await expect(out.fetch('http://model.test/v1')).rejects.toMatchObject({ fault: 'refused' });
      await expect(out.fetch(`http://${host}/v1`)).rejects.toMatchObject({ fault: 'refused' });
      const allowed = [`${address}/${address.includes(':') ? 128 : 32}`];
      await using listed = wayOut(['http://model.test'], allowed, address);
      const left = AbortSignal.abort(new Error('allowed'));
      await expect(listed.fetch('http://model.test/v1', { signal: left })).rejects.toThrow('allowed');
    },
  );

  it('a model request follows no redirect', async () => {
    await using server = await startLoopbackServer((response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    );
    await using out = wayOut([server.url]);
    expect((await out.fetch(server.url, { method: 'POST', body: '{}' })).status).toBe(307);
  });

  it('a model request streams its response', async () => {
    const rest = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.write('one');
      void rest.promise.then(() => response.end('two'));
    });
    await using out = wayOut([server.url]);
    const reader = (await out.fetch(server.url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    rest.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  });

  it('a model request fails when the response stalls', async () => {
    await using server = await startLoopbackServer((response) => void response.write('one'));
    await using out = wayOut([server.url], [], '127.0.0.1', { stallMs: 300 });
    const response = await out.fetch(server.url);
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
  });

  it('aborts a model request with its caller, which the server notices', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.on('close', () => closed.resolve());
      response.write('one');
    });
    await using out = wayOut([server.url]);
    const controller = new AbortController();
    const response = await out.fetch(server.url, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow('enough');
    await closed.promise;
  });

  it('aborts a model request when the daemon stops', async () => {
    await using server = await startLoopbackServer((response) => void response.write('one'));
    const out = wayOut([server.url]);
    const response = await out.fetch(server.url);
    const broken = expect(response.text()).rejects.toMatchObject({ fault: 'network', message: 'svc stops' });
    await out[Symbol.asyncDispose]();
    await broken;
  });

  it('reports an unreachable model as a network failure', async () => {
    const { url } = await (async () => {
      await using server = await startLoopbackServer((response) => response.end());
      return server;
    })();
    await using out = wayOut([url]);
    await expect(out.fetch(url)).rejects.toMatchObject({ fault: 'network' });
  });

  it('sends the body with the headers of the caller, in any form of fetch', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using out = wayOut([server.url]);
    const sent = [
      { headers: { 'Content-Type': 'application/json', 'X-Key': ' k ' }, body: '{"a":"é"}' },
      { headers: new Headers({ 'x-key': 'k' }), body: new TextEncoder().encode('bytes') },
      { headers: [['x-key', 'k']] as [string, string][], body: new URLSearchParams({ a: 'b c' }) },
    ];
    for (const request of sent)
      await (await out.fetch(`${server.url}/v1?q=1`, { method: 'POST', ...request })).text();
    await (await out.fetch(new URL(server.url))).text();
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1?q=1', body: '{"a":"é"}', headers: { 'content-type': 'application/json' } },
      { method: 'POST', body: 'bytes' },
      {
        method: 'POST',
        body: 'a=b+c',
        headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      },
      { method: 'GET', path: '/', body: '', headers: { 'accept-encoding': 'gzip, br' } },
    ]);
    expect(server.requests.slice(0, 3).map(({ headers }) => headers['x-key'])).toEqual(['k', 'k', 'k']);
  });

  it('hands on the status and the headers, with a body where there can be one', async () => {
    await using server = await startLoopbackServer((response, { path }) =>
      response.writeHead(Number(path.slice(1)), 'As It Is', { 'x-many': ['a', 'b'] }).end(),
    );
    await using out = wayOut([server.url]);
    const response = await out.fetch(`${server.url}/429`);
    expect(response).toMatchObject({ status: 429, statusText: 'As It Is', ok: false });
    expect(response.headers.get('x-many')).toBe('a, b');
    expect(await response.text()).toBe('');
    expect((await out.fetch(`${server.url}/204`)).body).toBeNull();
  });

  it('decodes a coded answer piece by piece', async () => {
    const rest = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.setHeader('content-encoding', 'gzip');
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write('one');
      gzip.flush();
      void rest.promise.then(() => gzip.end('two'));
    });
    await using out = wayOut([server.url]);
    const reader = (await out.fetch(server.url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    rest.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])('limits an answer by its decoded length: %s', async (coding, encode) => {
    await using server = await startLoopbackServer((response, { path }) =>
      response
        .setHeader('content-encoding', coding)
        .end(encode(Buffer.alloc(path === '/long' ? 100_001 : 100_000))),
    );
    await using out = wayOut([server.url], [], '127.0.0.1', { maxBytes: 100_000 });
    expect((await (await out.fetch(server.url)).bytes()).length).toBe(100_000);
    const long = await out.fetch(`${server.url}/long`);
    await expect(long.bytes()).rejects.toMatchObject({ fault: 'too_long' });
  });

  it('fails where the coding is broken, and reads one that is not known as it is', async () => {
    await using server = await startLoopbackServer((response, { path }) =>
      response.setHeader('content-encoding', path.slice(1)).end('plain'),
    );
    await using out = wayOut([server.url]);
    await expect((await out.fetch(`${server.url}/gzip`)).text()).rejects.toMatchObject({
      message: 'terminated',
      cause: { code: 'Z_DATA_ERROR' },
    });
    expect(await (await out.fetch(`${server.url}/rot13`)).text()).toBe('plain');
  });

  it('fails where the connection breaks within the answer', async () => {
    await using server = await startLoopbackServer((response) => {
      response.write('one', () => response.destroy());
    });
    await using out = wayOut([server.url]);
    const response = await out.fetch(server.url);
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated' });
  });

  it.each([undefined, 'gzip'])('closes the connection when the reader leaves (coding %s)', async (coding) => {
    const closed = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.on('close', () => closed.resolve());
      if (coding) response.setHeader('content-encoding', coding);
      response.write(coding ? gzipSync('one').subarray(0, 12) : 'one');
    });
    await using out = wayOut([server.url]);
    await (await out.fetch(server.url)).body?.cancel();
    await closed.promise;
  });

  it('takes no more than the reader does', async () => {
    const PIECES = 64;
    let sent = 0;
    await using server = await startLoopbackServer((response, { path }) => {
      if (path !== '/long') return response.end();
      const send = () => {
        if (sent === PIECES) return response.end();
        sent++;
        response.write(Buffer.alloc(1024 * 1024), send);
      };
      send();
    });
    await using out = wayOut([server.url]);
    const answer = await out.fetch(`${server.url}/long`);
    // Without a limit, all of it would be there long before.
    for (let turn = 0; turn < 100; turn++) await out.fetch(server.url);
    expect(sent).toBeLessThan(PIECES);
    expect((await answer.bytes()).length).toBe(PIECES * 1024 * 1024);
  });
});
