import { Queue, Worker } from 'bullmq';

/** 20,000 jobs from their creation to their recorded end. */
const TASKS = Number(process.env['BENCH_TASKS']);
const connection = { host: '127.0.0.1', port: Number(process.env['BENCH_REDIS_PORT']) };
let done = 0;
let finish: () => void = () => undefined;
const queue = new Queue('bench', { connection });
const worker = new Worker('bench', async () => '', { connection, concurrency: 10 });
worker.on('completed', () => {
  if (++done % TASKS === 0) finish();
});
await worker.waitUntilReady();

process.on('message', () => {
  void run().then((result) => process.send?.(result));
});
process.on('SIGTERM', () => {
  void Promise.all([worker.close(), queue.close()]).then(() => process.exit(0));
});
process.send?.({ url: '', headers: {} });

async function run() {
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const started = performance.now();
  for (let created = 0; created < TASKS; created += 500)
    await queue.addBulk(
      Array.from({ length: 500 }, () => ({ name: 'noop', data: { title: 'Nothing to do' } })),
    );
  await finished;
  return { ms: performance.now() - started };
}
