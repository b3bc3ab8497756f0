import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchServer, startServer } from './child.ts';
import { loadPosts } from './load-posts.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 3;
const TASKS = 5000;

/** What telemetry costs that is exported to a receiver on this machine, beside a daemon without it. */
export async function telemetry(): Promise<Figure[]> {
  const receiver = await startServer('receiver');
  const homes = Array.from({ length: 4 }, () => mkdtempSync(join(tmpdir(), 'svc-bench-')));
  const [a = '', b = '', c = '', d = ''] = homes;
  const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const off = await startServer('daemon', { SVC_HOME: a });
  const on = await startServer('daemon', { SVC_HOME: b, ...exported });
  const queueOff = await startServer('svc-queue', { SVC_HOME: c, BENCH_TASKS: String(TASKS) });
  const queueOn = await startServer('svc-queue', { SVC_HOME: d, BENCH_TASKS: String(TASKS), ...exported });
  const cpu: { off: number; on: number }[] = [];
  const ms: { off: number; on: number }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const posts = { off: (await loadPosts(off, SECONDS)).cpu, on: (await loadPosts(on, SECONDS)).cpu };
    const runs = { off: await msOfTasks(queueOff), on: await msOfTasks(queueOn) };
    // The first only warms all up.
    if (run === 0) continue;
    cpu.push(posts);
    ms.push(runs);
  }
  await Promise.all([off, on, queueOff, queueOn, receiver].map((server) => server.stop()));
  for (const home of homes) rmSync(home, { recursive: true, force: true });
  const mid = (list: typeof cpu, key: 'on' | 'off') => median(list.map((each) => each[key]));
  const ratio = (list: typeof cpu) => median(list.map((each) => each.on / each.off));
  return [
    {
      name: 'CPU of POST /api/tasks with telemetry exported',
      ours: `${mid(cpu, 'on').toFixed(0)} µs`,
      baseline: `without ${mid(cpu, 'off').toFixed(0)} µs`,
      value: ratio(cpu),
      bound: { most: 1.6 },
    },
    {
      name: `${TASKS} no-op tasks end to end with telemetry exported`,
      ours: `${mid(ms, 'on').toFixed(0)} ms`,
      baseline: `without ${mid(ms, 'off').toFixed(0)} ms`,
      value: ratio(ms),
      bound: { most: 1.6 },
    },
  ];
}

const msOfTasks = async (server: BenchServer): Promise<number> =>
  ((await server.ask('run')) as { ms: number }).ms;
