import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createOutboundFetch, type OutboundRequest } from '../../../src/core/outbound/outbound-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { startLoopbackServer } from './loopback-server.ts';

const get: OutboundRequest = { method: 'GET', timeoutMs: 5000, maxBytes: 1000 };

/** A way out whose names are looked up by the test. */
function wayOut(answers: (host: string, count: number) => string[], ranges = ['127.0.0.1/32']) {
  let allowed: readonly string[] = ranges;
  const lookups: string[] = [];
  const resolver = new Resolver(async (host) => {
    lookups.push(host);
    return answers(host, lookups.length).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
  });
  const outbound = createOutboundFetch(() => allowed, resolver);
  const allow = (...changed: string[]) => void (allowed = changed);
  return { ...outbound, lookups, allow, [Symbol.asyncDispose]: () => outbound.close() };
}

describe('a host name of a request', () => {
  it('resolves a name once, and connects only to the checked address', async () => {
    await using server = await startLoopbackServer((response) => response.end('here'));
    await using out = wayOut((_, count) => (count === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    expect((await out.fetch(`http://rebind.example:${server.port}`, get)).text).toBe('here');
    expect(out.lookups).toEqual(['rebind.example']);
  });

  it('refuses a name that resolves to a public address first and to a private one later', async () => {
    await using server = await startLoopbackServer((response) =>
      response.writeHead(200, { connection: 'close' }).end('here'),
    );
    await using out = wayOut((_, count) => (count === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    const url = `http://rebind.example:${server.port}`;
    expect((await out.fetch(url, get)).status).toBe(200);
    await expect(out.fetch(url, get)).rejects.toMatchObject({ code: 'forbidden' });
    expect(server.requests).toHaveLength(1);
  });

  const mixed = [
    ['127.0.0.1', '169.254.169.254'],
    ['10.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '::1'],
    ['127.0.0.1', '::ffff:10.0.0.1'],
    ['127.0.0.1', '64:ff9b::a00:1'],
    ['127.0.0.1', 'fe80::1%eth0'],
    ['127.0.0.1', 'not an address'],
    [],
  ];
  it.each(mixed.map((addresses) => [addresses]))(
    'refuses a name if one of its addresses is forbidden: %j',
    async (addresses) => {
      await using server = await startLoopbackServer((response) => response.end('here'));
      await using out = wayOut(() => addresses);
      await expect(out.fetch(`http://mixed.example:${server.port}`, get)).rejects.toMatchObject({
        code: 'forbidden',
        message:
          'Requests to mixed.example are not allowed: it is not a public address (outbound.allowPrivate)',
      });
      expect(server.requests).toEqual([]);
    },
  );

  it('connects to localhost when one address family is allowed, and uses that one', async () => {
    await using server = await startLoopbackServer((response) => response.end('here'));
    await using out = wayOut(() => ['::1', '127.0.0.1']);
    expect((await out.fetch(`http://localhost:${server.port}`, get)).text).toBe('here');
    out.allow('10.0.0.0/8');
    await expect(out.fetch(`http://localhost:${server.port}`, get)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('does not reuse a connection once its range is no longer allowed', async () => {
    await using server = await startLoopbackServer((response) => response.end('here'));
    await using out = wayOut(() => ['127.0.0.1']);
    const url = `http://kept.example:${server.port}`;
    expect((await out.fetch(url, get)).status).toBe(200);
    out.allow();
    await expect(out.fetch(url, get)).rejects.toMatchObject({ code: 'forbidden' });
    expect(server.requests).toHaveLength(1);
  });

  it('the error for an unknown name leaves out the rest of the URL', async () => {
    await using out = wayOut(() => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    });
    await expect(out.fetch('http://gone.example/path?key=secret', get)).rejects.toMatchObject({
      code: 'unavailable',
      fault: 'network',
      message: 'gone.example cannot be reached: its name is not known',
    });
  });
});

/** A server that speaks as it likes. */
async function rawServer(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    speak(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://raw.example:${typeof address === 'object' && address ? address.port : 0}/?key=secret`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
const local = () => wayOut(() => ['127.0.0.1']);

describe('a hostile response', () => {
  const packings: [string, (text: string) => Buffer][] = [
    ['gzip', (text) => gzipSync(text)],
    ['br', (text) => brotliCompressSync(text)],
  ];
  it.each(packings)('limits a response by its decompressed length: %s', async (encoding, pack) => {
    const answer = (length: number) => {
      const packed = pack('x'.repeat(length));
      return (response: ServerResponse) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    };
    await using small = await startLoopbackServer(answer(1000));
    await using bomb = await startLoopbackServer(answer(50_000_000));
    await using out = local();
    expect((await out.fetch(small.url, get)).text).toHaveLength(1000);
    const before = process.memoryUsage().arrayBuffers;
    await expect(out.fetch(bomb.url, get)).rejects.toMatchObject({ fault: 'too_long' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it('times out when the headers never finish', async () => {
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-more: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    await using out = local();
    await expect(out.fetch(server.url, { ...get, timeoutMs: 200 })).rejects.toMatchObject({
      fault: 'timeout',
    });
  });

  const broken: [string, (socket: Socket) => void, string][] = [
    [
      'headers without measure',
      (socket) => {
        const flood = () => {
          while (!socket.destroyed && socket.write(`x-more: ${'y'.repeat(1000)}\r\n`));
        };
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.on('drain', flood);
        flood();
      },
      'its headers are too long',
    ],
    ['nothing at all', (socket) => void socket.once('data', () => socket.end()), 'it closed the connection'],
    [
      'half of what it said',
      (socket) =>
        void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nhalf')),
      'it closed the connection',
    ],
    [
      'another protocol',
      (socket) => void socket.once('data', () => socket.end('220 mail ready\r\n')),
      'its answer is not HTTP',
    ],
  ];
  it.each(broken)('reports a broken response as a network failure: %s', async (_, speak, reason) => {
    await using server = await rawServer(speak);
    await using out = local();
    await expect(out.fetch(server.url, get)).rejects.toMatchObject({
      code: 'unavailable',
      fault: 'network',
      message: `${new URL(server.url).host} cannot be reached: ${reason}`,
    });
  });

  it.each(['http://127.0.0.2/', 'http://169.254.169.254/latest', '//10.0.0.1/', 'file:///etc/passwd'])(
    'does not follow a response that redirects to %s',
    async (location) => {
      await using server = await startLoopbackServer((response) =>
        response.writeHead(302, { location }).end(),
      );
      await using out = local();
      expect((await out.fetch(server.url, get)).status).toBe(302);
      expect(server.requests).toHaveLength(1);
    },
  );
});
