import { PgBoss } from 'pg-boss';
import { serveJobs } from './serve-jobs.ts';

await serveJobs(async (ended) => {
  const boss = new PgBoss({ connectionString: process.env['BENCH_POSTGRES_URL'] ?? '', max: 12 });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('noop');
  // Its end is recorded for a batch after the handler; what is missing of the last one does not count.
  await boss.work(
    'noop',
    { localConcurrency: 10, batchSize: 50, pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      for (const _ of jobs) ended();
    },
  );
  return {
    create: (count) =>
      boss.insert(
        'noop',
        Array.from({ length: count }, () => ({ data: { title: 'Nothing to do' } })),
      ),
    close: () => boss.stop({ graceful: false, close: true }),
  };
});
