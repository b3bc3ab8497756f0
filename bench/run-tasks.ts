import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';
import { freePort } from './free-port.ts';
import { type Figure, median } from './report.ts';

const TASKS = 20_000;
const RUNS = 5;

/** Tasks from creation to recorded end, every step durable with its events, beside BullMQ on a local Redis. */
export async function runTasks(): Promise<Figure[]> {
  const redis = await startRedis();
  const svc = await startServer('svc-queue', {
    SVC_HOME: mkdtempSync(join(tmpdir(), 'svc-bench-')),
    BENCH_TASKS: String(TASKS),
  });
  const bullmq = await startServer('bullmq', {
    BENCH_REDIS_PORT: String(redis.port),
    BENCH_TASKS: String(TASKS),
  });
  const ratios: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  let commits = 0;
  for (let run = 0; run < RUNS; run++) {
    const { ms: baseline } = (await bullmq.ask('run')) as { ms: number };
    const measured = (await svc.ask('run')) as { ms: number; commits: number };
    ours.push((TASKS / measured.ms) * 1000);
    theirs.push((TASKS / baseline) * 1000);
    ratios.push(baseline / measured.ms);
    commits += measured.commits;
  }
  await Promise.all([svc.stop(), bullmq.stop()]);
  redis.stop();
  return [
    {
      name: '20,000 no-op tasks end to end, concurrency 10',
      ours: `${median(ours).toFixed(0)}/s`,
      baseline: `BullMQ 6 ${median(theirs).toFixed(0)}/s`,
      value: median(ratios),
      bound: { least: 0.5 },
      note: `per task 3 states and 4 events written, ${(commits / RUNS / TASKS).toFixed(3)} commits`,
    },
  ];
}

async function startRedis() {
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    cwd: mkdtempSync(join(tmpdir(), 'svc-redis-')),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failed = once(redis, 'error').then(([error]) => {
    throw new Error('redis-server is not installed, and it is what this is measured beside', {
      cause: error,
    });
  });
  let said = '';
  while (!said.includes('Ready to accept connections')) {
    const [chunk] = (await Promise.race([once(redis.stdout, 'data'), failed])) as [Buffer];
    said += chunk.toString();
  }
  return { port, stop: () => void redis.kill() };
}
