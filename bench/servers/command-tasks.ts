import { rmSync } from 'node:fs';
import { createTaskSchema } from '../../src/contract/task.ts';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { watchLoop } from './loop-watch.ts';

/** Tasks of the `command` agent that run `true`, from the first creation to the last recorded end. */
const TASKS = Number(process.env['BENCH_TASKS']);
const daemon = await startDaemon({
  flags: {
    'server.port': 0,
    'log.level': 'warn',
    'queue.concurrency': Number(process.env['BENCH_CONCURRENCY']),
  },
});
const { app } = daemon;
let done = 0;
let finish: () => void = () => undefined;
app.bus.on('task', ({ event: { type } }) => {
  if (type === 'completed' && ++done % TASKS === 0) finish();
});

process.on('message', () => {
  void run().then((result) => process.send?.(result));
});
process.on('SIGTERM', () => {
  void daemon.close(0).then(() => {
    rmSync(daemon.locations.data, { recursive: true });
    process.exit(0);
  });
});
process.send?.({ url: daemon.url, headers: {} });

function run() {
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const input = createTaskSchema.parse({ title: 'True', prompt: 'true', assignedAgent: 'command' });
  return watchLoop(TASKS, async () => {
    await Promise.all(Array.from({ length: TASKS }, () => app.tasks.create(owner, input)));
    await finished;
  });
}
