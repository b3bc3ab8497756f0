import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';

/** Verifies webhooks of GitHub, and does nothing else. */
const secret = process.env['BENCH_SECRET'] ?? '';
const server = Fastify({ bodyLimit: 5 * 1024 * 1024 });
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
server.post('/api/webhooks/codehost', (request, reply) => {
  const expected = `sha256=${createHmac('sha256', secret)
    .update(request.body as Buffer)
    .digest('hex')}`;
  const given = String(request.headers['x-hub-signature-256']);
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    return reply.code(403).send({ error: 'Invalid webhook signature' });
  return reply.send({ status: 'accepted' });
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url, headers: {} });
