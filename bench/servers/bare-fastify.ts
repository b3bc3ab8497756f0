import Fastify from 'fastify';

/** Answers what POST /api/tasks answers, and does nothing else. */
const answer: unknown = JSON.parse(process.env['BENCH_ANSWER'] ?? '{}');
const server = Fastify();
server.post('/api/tasks', (_request, reply) => reply.code(201).send(answer));
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.({ url, headers: {} });
