import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ConnectionLimits, Connections } from '../../../src/daemon/connections/connections.ts';
import { createHttpServer, type ServerTimeouts } from '../../../src/daemon/http-server.ts';

const soon = { timeout: 20_000, interval: 5 };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface World {
  handler?: RequestListener;
  limits?: Partial<ConnectionLimits>;
  timeouts?: Partial<ServerTimeouts>;
}

/** A server whose clients are patient, and whose own patience is as short as the test wants it. */
async function listen({ handler = (_, response) => response.end('ok'), limits, timeouts }: World) {
  const connections = new Connections({
    max: 1024,
    perAddress: 4,
    trustedProxies: [],
    sweepMs: 10,
    patience: { bodySweeps: 1e9, readSweeps: 1e9 },
    ...limits,
  });
  const server = createHttpServer(handler, connections, {
    headersMs: 60_000,
    requestMs: 60_000,
    keepAliveMs: 60_000,
    checkMs: 10,
    ...timeouts,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    /** A client at a loopback address of its own, with what it has received. */
    open: async (sent = '', localAddress = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      closing.push(() => socket.destroy());
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (sent !== '') socket.write(sent);
      return { socket, received: () => received };
    },
  };
}
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n';

describe('a peer that keeps the daemon waiting', () => {
  it.each([
    ['sends nothing', ''],
    ['begins a header', 'GET / HTTP/1.1\r\nHost:'],
    ['begins a second request', `${get}GET / HT`],
  ])('is closed when it %s', async (_, sent) => {
    const { open } = await listen({ timeouts: { headersMs: 50 } });
    const { socket } = await open(sent);
    await closed(socket);
  });

  it('is closed when it does not use its connection again', async () => {
    const { open } = await listen({ timeouts: { keepAliveMs: 20 } });
    const { socket, received } = await open(get);
    await closed(socket);
    expect(received()).toContain('200 OK');
  });

  it('is answered 408 and closed when no more of its body comes', async () => {
    const handler: RequestListener = (request, response) =>
      void request.resume().on('end', () => response.end());
    const { open } = await listen({ handler, limits: { patience: { bodySweeps: 3, readSweeps: 1e9 } } });
    const { socket, received } = await open(`${post}12345`);
    await closed(socket);
    expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('is closed when it does not read its answer', async () => {
    const handler: RequestListener = (_, response) => response.end(Buffer.alloc(32 * 1024 * 1024));
    const { open, server } = await listen({
      handler,
      limits: { patience: { bodySweeps: 1e9, readSweeps: 3 } },
    });
    const [ours] = [once(server, 'connection') as Promise<[Socket]>];
    const { socket } = await open();
    socket.pause();
    socket.write(get);
    const [peer] = await ours;
    await closed(peer);
  });

  it('is not closed while its answer takes time', async () => {
    let finish: (() => void) | undefined;
    const handler: RequestListener = (_, response) => void (finish = () => response.end('late'));
    const { open } = await listen({
      handler,
      limits: { patience: { bodySweeps: 1, readSweeps: 1 } },
      timeouts: { headersMs: 1000, keepAliveMs: 20 },
    });
    const { received } = await open(get);
    // Another peer that is cut meanwhile: sweeps have been made.
    await closed((await open()).socket);
    finish?.();
    await vi.waitFor(() => expect(received()).toContain('late'), soon);
  });
});

describe('what is not HTTP', () => {
  it.each(['hello\r\n\r\n', `${post.replace('10', 'ten')}`])('is answered and closed: %j', async (sent) => {
    const { open } = await listen({});
    const { socket, received } = await open(sent);
    // The peer never closes its side.
    await closed(socket);
    expect(received()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(received()).toContain('x-content-type-options: nosniff');
  });

  it('is closed at once within an answer, which it would become part of', async () => {
    const handler: RequestListener = (_, response) => void response.write('a part');
    const { open } = await listen({ handler });
    const { socket, received } = await open(get);
    await vi.waitFor(() => expect(received()).toContain('a part'), soon);
    socket.write('hello\r\n\r\n');
    await closed(socket);
    expect(received()).not.toContain('400');
  });
});

describe('the limit of an address', () => {
  const remote = { perAddress: 4, max: 1024 };

  it('makes the longest idle connection give way, and holds for each address', async () => {
    const { open } = await listen({ limits: { ...remote, max: 4 } });
    const first = await open();
    const others = [await open(), await open(), await open(get)];
    await vi.waitFor(() => expect(others[2]?.received()).toContain('ok'), soon);
    const last = await open(get, '127.0.0.2');
    await closed(first.socket);
    await vi.waitFor(() => expect(last.received()).toContain('ok'), soon);
    expect(others.map(({ socket }) => socket.closed)).toEqual([false, false, false]);
  });

  it('is that of this machine, of others, or none for a trusted proxy', async () => {
    const connections = new Connections({
      ...remote,
      trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
      sweepMs: 1e6,
      patience: { bodySweeps: 1, readSweeps: 1 },
    });
    expect(['127.0.0.9', '::1', '::ffff:127.0.0.1'].map((at) => connections.limitOf(at))).toEqual([
      1024, 1024, 1024,
    ]);
    expect(['203.0.113.1', '2001:db8::1'].map((at) => connections.limitOf(at))).toEqual([4, 4]);
  });

  it('refuses with 503 where everything works, and keeps a reserve', async () => {
    let begun = 0;
    const handler: RequestListener = (request, response) => {
      if (request.url === '/api/health') response.end('ok');
      else begun++;
    };
    const { open } = await listen({ handler, limits: { max: 2 } });
    const work = async () => {
      const count = begun;
      const client = await open(get.replace('/', '/api/health?slow'));
      await vi.waitFor(() => expect(begun).toBe(count + 1), soon);
      return client;
    };
    const busy = [await work(), await work()];
    const health = await open(get.replace('/', '/api/health'));
    await vi.waitFor(() => expect(health.received()).toContain('ok'), soon);
    // The reserve of this address, in which the idle one gives way.
    const more: Awaited<ReturnType<typeof open>>[] = [];
    for (let at = 0; at < 8; at++) more.push(await work());
    await closed(health.socket);
    const refused = await open();
    await closed(refused.socket);
    expect(refused.received()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n[^]*retry-after: 5\r\n/);
    expect([...busy, ...more].filter(({ socket }) => socket.closed)).toEqual([]);
  });

  it('makes a stalled body give way', async () => {
    const { open } = await listen({ handler: () => undefined, limits: { max: 1 } });
    const stalled = await open(post);
    // Until the sweeps have seen it, there is only the reserve.
    const gaveWay = closed(stalled.socket);
    const others: Socket[] = [];
    while (!stalled.socket.closed) others.push((await open()).socket);
    await gaveWay;
    expect(others.at(-1)?.closed).toBe(false);
  });
});
