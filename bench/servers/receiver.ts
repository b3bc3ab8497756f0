import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks and of telemetry: /dead never answers, everything else does at once. */
let received = 0;
/** Milliseconds from the moment that a body names until it is here. */
let delays: number[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/dead') return;
    received++;
    if (request.headers['content-type'] === 'application/json') {
      const { at } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { at: number };
      delays.push(Date.now() - at);
    }
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');

process.on('message', () => {
  process.send?.({ received, delays });
  received = 0;
  delays = [];
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {} });
