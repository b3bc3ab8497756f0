import { connect } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { livePath } from '../../src/contract/live-path.ts';
import { securityHeaders } from '../../src/daemon/security-headers.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { rawRequest, sendRaw } from '../helpers/raw-http.ts';

let daemon: TestDaemon;
let host: string;
beforeAll(async () => {
  daemon = await startDaemon();
  host = new URL(daemon.url).host;
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe('answers below the routes', () => {
  it.each<[string, number, () => string | Buffer]>([
    ['no HTTP', 400, () => 'hello\r\n\r\n'],
    ['a TLS greeting', 400, () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5])],
    ['an HTTP/2 preface', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'too many headers',
      431,
      () => rawRequest(['GET / HTTP/1.1', `Host: ${host}`, `A: ${'x'.repeat(20_000)}`]),
    ],
    ['a broken address', 400, () => rawRequest(['GET /% HTTP/1.1', `Host: ${host}`])],
    ['an expectation', 417, () => rawRequest(['GET / HTTP/1.1', `Host: ${host}`, 'Expect: something'])],
    [
      'a WebSocket without a key',
      400,
      () =>
        rawRequest([
          `GET ${livePath} HTTP/1.1`,
          `Host: ${host}`,
          `Cookie: ${daemon.headers.cookie}`,
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
        ]).replace('Connection: close', 'Connection: Upgrade'),
    ],
  ])('to %s carry the security headers', async (_, status, bytes) => {
    const answer = await sendRaw(daemon.url, bytes());
    expect(answer.status, answer.body).toBe(status);
    expect(answer.headers).toMatchObject(securityHeaders);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.stringMatching(/\w/) });
  });
});

describe('a WebSocket handshake', () => {
  const handshake = (version: string, websocketVersion: string) =>
    [
      `GET ${livePath} HTTP/${version}`,
      `Host: ${host}`,
      `Cookie: ${daemon.headers.cookie}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Version: ${websocketVersion}`,
      '',
      '',
    ].join('\r\n');
  async function head(bytes: string): Promise<string> {
    const { hostname, port } = new URL(daemon.url);
    const socket = connect(Number(port), hostname);
    socket.write(bytes);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return chunk.toString('latin1');
  }

  it('of version 13 over HTTP/1.1 is accepted', async () => {
    expect(await head(handshake('1.1', '13'))).toMatch(/^HTTP\/1\.1 101 /);
  });
  it.each(['8', '7', '0', '14', '13, 8', 'x'])('of version %s is refused', async (version) => {
    const answer = await head(handshake('1.1', version));
    expect(answer).toMatch(/^HTTP\/1\.1 426 /);
    expect(answer).toMatch(/^sec-websocket-version: 13\r$/m);
  });
  it('over HTTP/1.0 is refused', async () => {
    expect(await head(handshake('1.0', '13'))).toMatch(/^HTTP\/1\.[01] 400 /);
  });
});

describe('a body with a Content-Encoding', () => {
  const post = (path: string, encoding: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${daemon.url}${path}`, {
      method: 'POST',
      headers: { ...daemon.headers, 'content-type': 'application/json', 'content-encoding': encoding },
      body,
    });
  const plain = new TextEncoder().encode('{"title":"a"}');

  it.each(['gzip', 'br', 'deflate', 'zstd', 'GZIP', 'identity, gzip', 'gzip, gzip', 'x'])(
    'of %s is refused',
    async (encoding) => {
      for (const path of ['/api/tasks', '/api/webhooks/codehost', '/api/auth/login']) {
        const response = await post(path, encoding, new Uint8Array(gzipSync(plain)));
        expect(response.status, path).toBe(415);
        expect(response.headers.get('accept-encoding')).toBe('identity');
        expect(await response.json()).toEqual({ error: expect.stringContaining('Content-Encoding') });
      }
    },
  );
  it.each(['identity', 'Identity'])('of %s is read', async (encoding) => {
    expect((await post('/api/tasks', encoding, plain)).status).toBe(201);
  });
});
