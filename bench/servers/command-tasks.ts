import { createTaskSchema } from '../../src/contract/task.ts';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { watchLoop } from './loop-watch.ts';
import { serveRuns } from './serve-runs.ts';

/** Tasks of the `command` agent that run `true`, from the first creation to the last recorded end. */
const TASKS = Number(process.env['BENCH_TASKS']);
const daemon = await startDaemon({
  flags: {
    'server.port': 0,
    'log.level': 'warn',
    'queue.concurrency': Number(process.env['BENCH_CONCURRENCY']),
  },
});
const { tasks } = daemon.app;
const input = createTaskSchema.parse({ title: 'True', prompt: 'true', assignedAgent: 'command' });

serveRuns(daemon, TASKS, (completed) =>
  watchLoop(TASKS, async () => {
    await Promise.all(Array.from({ length: TASKS }, () => tasks.create(owner, input)));
    await completed;
  }),
);
