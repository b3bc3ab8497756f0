import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { serveJobs } from './serve-jobs.ts';

const connectionString = process.env['BENCH_POSTGRES_URL'] ?? '';
const logger = new Logger(() => () => undefined);

await serveJobs(async (ended) => {
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  const runner = await run({
    connectionString,
    logger,
    concurrency: 10,
    maxPoolSize: 12,
    noHandleSignals: true,
    taskList: { noop: () => undefined },
  });
  runner.events.on('job:complete', ended);
  return {
    create: (count) =>
      utils.addJobs(
        Array.from({ length: count }, () => ({ identifier: 'noop', payload: { title: 'Nothing to do' } })),
      ),
    close: async () => {
      await runner.stop();
      await utils.release();
    },
  };
});
