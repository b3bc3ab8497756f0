import { rmSync } from 'node:fs';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { createTaskSchema } from '../../src/contract/task.ts';
import { noopAdapter } from '../noop-adapter.ts';

/** 20,000 tasks from their creation to their recorded end, in one process with the store, as BullMQ's worker is. */
const TASKS = Number(process.env['BENCH_TASKS']);
let done = 0;
let finish: () => void = () => undefined;
const daemon = await startDaemon({
  flags: { 'server.port': 0, 'log.level': 'warn', 'queue.concurrency': 10 },
  extraAdapters: [noopAdapter()],
});
const { app } = daemon;
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

async function run() {
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const commits = app.database.commits();
  const started = performance.now();
  const input = createTaskSchema.parse({ title: 'Nothing to do', assignedAgent: 'noop' });
  for (let created = 0; created < TASKS; created += 500)
    await Promise.all(Array.from({ length: 500 }, () => app.tasks.create(owner, input)));
  await finished;
  return { ms: performance.now() - started, commits: app.database.commits() - commits };
}
