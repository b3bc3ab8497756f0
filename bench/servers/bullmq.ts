import { Queue, Worker } from 'bullmq';
import { serveJobs } from './serve-jobs.ts';

const connection = { host: '127.0.0.1', port: Number(process.env['BENCH_REDIS_PORT']) };

await serveJobs(async (ended) => {
  const queue = new Queue('bench', { connection });
  const worker = new Worker('bench', async () => '', { connection, concurrency: 10 });
  worker.on('completed', ended);
  await worker.waitUntilReady();
  return {
    create: (count) =>
      queue.addBulk(
        Array.from({ length: count }, () => ({ name: 'noop', data: { title: 'Nothing to do' } })),
      ),
    close: () => Promise.all([worker.close(), queue.close()]),
  };
});
