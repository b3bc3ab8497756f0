import { writeSync } from 'node:fs';
import { startDaemon } from '../../helpers/daemon.ts';
import { KillSwitch } from '../crash/kill-points.ts';
import { rigAdapters } from '../crash/rig-adapters.ts';

/**
 * A daemon and its client in one process, for `strace` to watch: every answer and every event that the client gets is
 * written to standard output, so that one trace has them and what reached the disk in their order.
 */
const [home = '', tasks = '100', synchronous = 'FULL'] = process.argv.slice(2);
const AT_ONCE = 8;

const acknowledge = (what: string, id: string) => writeSync(1, `${what} ${id}\n`);

await using daemon = await startDaemon({
  home,
  flags: { 'storage.synchronous': synchronous === 'FULL' ? 'FULL' : 'NORMAL' },
  extraAdapters: rigAdapters(new KillSwitch()),
});
const finished = new Set<string>();
const { promise: whenAllFinished, resolve: allFinished } = Promise.withResolvers<void>();
daemon.app.bus.on('task', ({ task, event: { type } }) => {
  if (type !== 'completed' && type !== 'failed') return;
  acknowledge(type, task.id);
  finished.add(task.id);
  if (finished.size === Number(tasks)) allFinished();
});

let next = 0;
async function createTasks(): Promise<void> {
  while (next < Number(tasks)) {
    const n = next++;
    const assignedAgent = n % 10 === 0 ? 'broken' : 'ok';
    const body = { title: `task ${n}`, prompt: 'x'.repeat(1 + (n % 7) * 900), assignedAgent };
    const { task } = await daemon.client.tasks.create({ body });
    acknowledge('created', task.id);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, createTasks));
await whenAllFinished;
