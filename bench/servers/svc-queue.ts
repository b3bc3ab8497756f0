import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { createTaskSchema } from '../../src/contract/task.ts';
import { noopAdapter } from '../noop-adapter.ts';
import { serveRuns } from './serve-runs.ts';

/** 20,000 tasks from their creation to their recorded end, in one process with the store, as BullMQ's worker is. */
const TASKS = Number(process.env['BENCH_TASKS']);
const daemon = await startDaemon({
  flags: { 'server.port': 0, 'log.level': 'warn', 'queue.concurrency': 10 },
  extraAdapters: [noopAdapter()],
});
const { tasks, database } = daemon.app;
const input = createTaskSchema.parse({ title: 'Nothing to do', assignedAgent: 'noop' });

async function create(count: number): Promise<void> {
  for (let created = 0; created < count; created += 500)
    await Promise.all(Array.from({ length: 500 }, () => tasks.create(owner, input)));
}

process.on('message', (question: string | { create: number }) => {
  if (typeof question === 'object') void create(question.create).then(() => process.send?.(true));
});
serveRuns(daemon, TASKS, async (completed) => {
  const commits = database.commits();
  const started = performance.now();
  await create(TASKS);
  await completed;
  return { ms: performance.now() - started, commits: database.commits() - commits };
});
