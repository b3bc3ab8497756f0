import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchServer, startServer } from './child.ts';
import { startPostgres } from '../test/helpers/postgres-server.ts';
import { startRedis } from './redis.ts';
import { type Figure, median } from './report.ts';

const TASKS = 20_000;
const RUNS = 5;

/** How Redis keeps what BullMQ stores: svc is as durable as the last. */
const persistences = {
  'without persistence': { flags: [], least: 0.5 },
  'appendfsync everysec': { flags: ['--appendonly', 'yes', '--appendfsync', 'everysec'], least: 1 },
  'appendfsync always': { flags: ['--appendonly', 'yes', '--appendfsync', 'always'], least: 2.5 },
};

interface Peer {
  name: string;
  tasks: number;
  least: number;
  server: BenchServer;
  ms: number[];
  stop(): Promise<void>;
}

/** Tasks from creation to recorded end, every step durable with its events, beside job queues on Redis, PostgreSQL, SQLite. */
export async function runTasks(): Promise<Figure[]> {
  const svc = await startServer('svc-queue', {
    BENCH_TASKS: String(TASKS),
    SVC_HOME: mkdtempSync(join(tmpdir(), 'svc-bench-')),
  });
  const peers = await Promise.all([
    ...Object.entries(persistences).map(([name, { flags, least }]) => onRedis(name, flags, least)),
    onPostgres('graphile-worker', 2),
    onPostgres('pg-boss', 1),
    onSqlite(),
  ]);
  const ours: { ms: number; commits: number }[] = [];
  try {
    for (let run = 0; run < RUNS; run++) {
      for (const { server, ms } of peers) ms.push(((await server.ask('run')) as { ms: number }).ms);
      ours.push((await svc.ask('run')) as { ms: number; commits: number });
    }
  } finally {
    await Promise.all([svc.stop(), ...peers.map((peer) => peer.stop())]);
  }
  const rate = (ms: number[], tasks = TASKS) => `${((tasks / median(ms)) * 1000).toFixed(0)}/s`;
  const commits = median(ours.map((run) => run.commits)) / TASKS;
  return peers.map(({ name, tasks, least, ms }) => ({
    name: '20,000 no-op tasks end to end, concurrency 10',
    ours: rate(ours.map((run) => run.ms)),
    baseline: `${name} ${rate(ms, tasks)}`,
    value: median(ours.map((run, at) => (ms[at] ?? Number.NaN) / tasks / (run.ms / TASKS))),
    bound: { least },
    note: `per task 3 states and 4 events written, ${commits.toFixed(3)} commits`,
  }));
}

async function onRedis(name: string, flags: readonly string[], least: number): Promise<Peer> {
  const redis = await startRedis(flags);
  const server = await startServer('bullmq', {
    BENCH_TASKS: String(TASKS),
    BENCH_REDIS_PORT: String(redis.port),
  });
  const stop = async () => {
    await server.stop();
    redis.stop();
  };
  return { name: `BullMQ 6, Redis ${name},`, tasks: TASKS, least, server, ms: [], stop };
}

async function onPostgres(name: string, least: number): Promise<Peer> {
  const postgres = await startPostgres({ isMeasured: true });
  const server = await startServer(name, { BENCH_TASKS: String(TASKS), BENCH_POSTGRES_URL: postgres.url });
  const stop = async () => {
    await server.stop();
    await postgres.stop();
  };
  return { name, tasks: TASKS, least, server, ms: [], stop };
}

async function onSqlite(): Promise<Peer> {
  // It writes each job in two commits of its own: as many as the others would take minutes.
  const tasks = 2000;
  const server = await startServer('plainjob', { BENCH_TASKS: String(tasks) });
  return { name: 'plainjob, SQLite FULL,', tasks, least: 1, server, ms: [], stop: () => server.stop() };
}
