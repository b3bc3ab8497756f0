import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchLoop } from './loop-watch.ts';

/** The least that such a task costs: a small process that starts `sh -c true` and waits for its end. */
const TASKS = Number(process.env['BENCH_TASKS']);
const CONCURRENCY = Number(process.env['BENCH_CONCURRENCY']);

process.on('message', () => {
  void run().then((result) => process.send?.(result));
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: '', headers: {} });

function run() {
  let left = TASKS;
  const worker = async () => {
    while (left-- > 0) {
      const child = spawn('/bin/sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      child.stdout.resume();
      child.stderr.resume();
      await once(child, 'close');
    }
  };
  return watchLoop(TASKS, async () => {
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  });
}
