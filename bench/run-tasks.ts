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

/** How Redis keeps what BullMQ stores: svc is as durable as the last. */
const persistences = {
  'without persistence': [],
  'appendfsync everysec': ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  'appendfsync always': ['--appendonly', 'yes', '--appendfsync', 'always'],
} as const;
type Persistence = keyof typeof persistences;
const bounds: Record<Persistence, number> = {
  'without persistence': 0.5,
  'appendfsync everysec': 1,
  'appendfsync always': 2.5,
};

/** Tasks from creation to recorded end, every step durable with its events, beside BullMQ on a local Redis. */
export async function runTasks(): Promise<Figure[]> {
  const env = { BENCH_TASKS: String(TASKS) };
  const svc = await startServer('svc-queue', {
    ...env,
    SVC_HOME: mkdtempSync(join(tmpdir(), 'svc-bench-')),
  });
  const peers = await Promise.all(
    (Object.keys(persistences) as Persistence[]).map(async (name) => {
      const redis = await startRedis(persistences[name]);
      const bullmq = await startServer('bullmq', { ...env, BENCH_REDIS_PORT: String(redis.port) });
      return { name, redis, bullmq, ms: [] as number[] };
    }),
  );
  const ours: { ms: number; commits: number }[] = [];
  try {
    for (let run = 0; run < RUNS; run++) {
      for (const { bullmq, ms } of peers) ms.push(((await bullmq.ask('run')) as { ms: number }).ms);
      ours.push((await svc.ask('run')) as { ms: number; commits: number });
    }
  } finally {
    await Promise.all([svc.stop(), ...peers.map(({ bullmq }) => bullmq.stop())]);
    for (const { redis } of peers) redis.stop();
  }
  const rate = (ms: number[]) => `${((TASKS / median(ms)) * 1000).toFixed(0)}/s`;
  const commits = median(ours.map((run) => run.commits)) / TASKS;
  return peers.map(({ name, ms }) => ({
    name: `20,000 no-op tasks end to end, concurrency 10, beside Redis ${name}`,
    ours: rate(ours.map((run) => run.ms)),
    baseline: `BullMQ 6 ${rate(ms)}`,
    value: median(ours.map((run, at) => (ms[at] ?? Number.NaN) / run.ms)),
    bound: { least: bounds[name] },
    note: `per task 3 states and 4 events written, ${commits.toFixed(3)} commits`,
  }));
}

async function startRedis(persistence: readonly string[]) {
  const port = await freePort();
  const redis = spawn(
    'redis-server',
    ['--port', String(port), '--save', '', '--bind', '127.0.0.1', ...persistence],
    {
      cwd: mkdtempSync(join(tmpdir(), 'svc-redis-')),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
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
