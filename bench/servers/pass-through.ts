import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hands every request to the model as it is, and its answer back as it is. */
const model = process.env['BENCH_MODEL'] ?? '';
const agent = new Agent({ keepAlive: true });
const server = createServer((asked, answer) => {
  const { method = '', headers } = asked;
  const passed = request(`${model}${asked.url}`, { method, headers, agent }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  asked.pipe(passed);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {} });
});
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('SIGTERM', () => process.exit(0));
