import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createOutboundFetch, type OutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { postSigned } from '../../../src/core/outbound/post-signed.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startLoopbackServer } from './loopback-server.ts';

const message = { id: 'dlv_1', body: '{"text":"ä"}', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
/** For receivers that do not answer, instead of the ten seconds that they have; for others, a busy machine gets more. */
const SHORT_MS = 300;
const LONG_MS = 20_000;

/** A post over real sockets. */
async function post(url: string, { signal = new AbortController().signal, limitMs = LONG_MS } = {}) {
  const outbound = createOutboundFetch(() => ['127.0.0.1/32']);
  let asked = 0;
  const fetch: OutboundFetch = (to, request) => {
    asked = request.timeoutMs;
    return outbound.fetch(to, { ...request, timeoutMs: limitMs });
  };
  try {
    const result = await postSigned({ fetch, runtime: systemRuntime }, { ...message, url }, signal);
    expect(asked).toBe(10_000);
    return result;
  } finally {
    await outbound.close();
  }
}

/** What a receiver that speaks HTTP answers, and what came of it. */
async function answered(answer: (response: ServerResponse) => void, limitMs = LONG_MS) {
  await using server = await startLoopbackServer(answer);
  const result = await post(`${server.url}/hook`, { limitMs });
  return { result, requests: server.requests };
}

describe('the response to a delivery', () => {
  it('stores a response truncated to 4 KiB between two characters, without NUL', async () => {
    const { result } = await answered((response) => response.end(`a\0${'🙂'.repeat(2000)}`));
    expect(result.responseBody).toBe(`a${'🙂'.repeat(1023)}`);
    const odd = await answered((response) => response.end(Buffer.from([0x61, 0xff, 0x62])));
    expect(odd.result.responseBody).toBe('a\u{fffd}b');
    const whole = await answered((response) => response.end('x'.repeat(4096)));
    expect(whole.result.responseBody).toHaveLength(4096);
  });

  it.each([200, 201, 204, 299])('a delivery succeeds with status %i', async (status) => {
    const { result, requests } = await answered((response) => response.writeHead(status).end());
    expect(result).toMatchObject({ isDelivered: true, status, error: null });
    expect(result.durationMs).toBeGreaterThan(0);
    expect(requests.map(({ method, body }) => [method, body])).toEqual([['POST', message.body]]);
  });

  it.each([301, 302, 303, 307, 308])(
    'a delivery fails with the redirect %i, which is not followed',
    async (status) => {
      await using target = await startLoopbackServer((response) => response.end('here'));
      const { result } = await answered((response) =>
        response.writeHead(status, { location: target.url }).end('there'),
      );
      expect(result).toMatchObject({
        isDelivered: false,
        status,
        error: `The receiver answered ${status}`,
        responseBody: 'there',
      });
      expect(target.requests).toEqual([]);
    },
  );

  it.each([304, 400, 401, 404, 410, 500, 502])('a delivery fails with status %i', async (status) => {
    const { result } = await answered((response) => response.writeHead(status).end());
    expect(result).toMatchObject({ isDelivered: false, status });
    expect(result.retryAfterMs).toBeUndefined();
  });

  it.each([429, 503])('a response with status %i may set the retry time', async (status) => {
    const { result } = await answered((response) =>
      response.writeHead(status, { 'retry-after': '90' }).end(),
    );
    expect(result.retryAfterMs).toBe(90_000);
  });

  it('a delivery fails when the response is endless, which is not read', async () => {
    let written = 0;
    const { result } = await answered((response) => {
      const flood = () => {
        while (!response.destroyed && written < 100_000_000) {
          written += 65_536;
          if (!response.write('x'.repeat(65_536))) return;
        }
      };
      response.on('drain', flood);
      flood();
    });
    expect(result).toMatchObject({ isDelivered: false, status: null, responseBody: null });
    expect(result.error).toContain('longer than 65536 bytes');
    expect(written).toBeLessThan(50_000_000);
  });

  it('a delivery fails when the response never starts or trickles', async () => {
    const silent = await answered(() => undefined, SHORT_MS);
    expect(silent.result).toMatchObject({ isDelivered: false, status: null, responseBody: null });
    expect(silent.result.error).toContain('did not answer in time');
    expect(silent.result.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 1);
    const slow = await answered((response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    }, SHORT_MS);
    expect(slow.result.error).toContain('did not answer in time');
  });
});

const broken: [string, (socket: Socket) => void][] = [
  ['resets', (socket) => socket.resetAndDestroy()],
  ['closes its half and stays', (socket) => socket.end()],
  ['breaks off', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nhalf')],
  ['speaks something else', (socket) => socket.end('220 mail ready\r\n')],
  ['sends noise', (socket) => socket.end(Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]))],
  ['lies about the length', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
];

describe('a receiver', () => {
  it.each(broken)('a delivery fails when the receiver %s', async (_, speak) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => speak(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const result = await post(`http://127.0.0.1:${port}/secret?key=secret`, { limitMs: SHORT_MS });
    expect(result).toMatchObject({ isDelivered: false, status: null, responseBody: null });
    expect(result.error).toContain(`127.0.0.1:${port}`);
    expect(result.error).not.toContain('secret');
    server.close();
  });

  it('a delivery fails when the receiver is unreachable or forbidden', async () => {
    const gone = await startLoopbackServer(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await post(gone.url)).toMatchObject({ isDelivered: false, status: null });
    expect(await post('http://169.254.169.254/')).toMatchObject({
      isDelivered: false,
      error: expect.stringContaining('not allowed'),
    });
  });

  it('an aborted attempt sends nothing more to the receiver', async () => {
    const stopping = new AbortController();
    const reason = new Error('It stops');
    await using server = await startLoopbackServer(() => stopping.abort(reason));
    await expect(post(server.url, { signal: stopping.signal })).rejects.toBe(reason);
  });
});
