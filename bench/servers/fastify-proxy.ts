import { Agent, request } from 'node:http';
import Fastify from 'fastify';

/** A bare Fastify that reads the JSON of a request, as every server has to, sends it on and pipes the answer back. */
const model = process.env['BENCH_MODEL'] ?? '';
const agent = new Agent({ keepAlive: true });
const server = Fastify({ keepAliveTimeout: 60_000 });
server.post('/v1/chat/completions', (asked, reply) => {
  reply.hijack();
  const body = JSON.stringify(asked.body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(`${model}${asked.url}`, { method: 'POST', headers, agent }, (response) => {
    reply.raw.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(reply.raw);
  }).end(body);
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ url, headers: {} });
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('SIGTERM', () => process.exit(0));
