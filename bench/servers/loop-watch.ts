import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Runs the work; answers how long it took, the CPU that this process used for each of `count`, and how late its event loop was. */
export async function watchLoop(count: number, work: () => Promise<void>) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  return { ms, cpu: (user + system) / 1000 / count, late: delay.percentile(99) / 1e6 };
}
