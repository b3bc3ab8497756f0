import { startPostgres } from '../test/helpers/postgres-server.ts';
import { type BenchServer, startServer } from './child.ts';
import { everySecond, MeasuredCluster } from './measured-cluster.ts';
import { startRedis } from './redis.ts';
import { type Figure, median } from './report.ts';

const TASKS = 5000;
const RUNS = 5;

/** Tasks from creation to recorded end on PostgreSQL and Redis, beside job queues on the same servers' kinds. */
export async function clusterTasks(): Promise<Figure[]> {
  await using cluster = await MeasuredCluster.start();
  const other = await startPostgres({ isMeasured: true });
  const otherRedis = await startRedis(everySecond);
  const { url } = await cluster.postgres.newDatabase();
  const ours = await startServer('svc-queue', { BENCH_TASKS: String(TASKS), ...cluster.environment(url) });
  const peers = [
    { name: 'graphile-worker', least: 2, server: await peer('graphile-worker', other.url) },
    { name: 'pg-boss', least: 1, server: await peer('pg-boss', other.url) },
    {
      name: 'BullMQ 6, Redis appendfsync everysec,',
      least: 0.4,
      server: await startServer('bullmq', {
        BENCH_TASKS: String(TASKS),
        BENCH_REDIS_PORT: String(otherRedis.port),
      }),
    },
  ];
  const times = new Map<BenchServer, number[]>();
  try {
    for (let run = 0; run < RUNS; run++)
      for (const server of [ours, ...peers.map((each) => each.server)]) {
        const { ms } = (await server.ask('run')) as { ms: number };
        times.set(server, [...(times.get(server) ?? []), ms]);
      }
  } finally {
    await Promise.all([ours.stop(), ...peers.map(({ server }) => server.stop())]);
    await other.stop();
    otherRedis.stop();
  }
  const rateOf = (server: BenchServer) => (TASKS / median(times.get(server) ?? [])) * 1000;
  return peers.map(({ name, least, server }) => ({
    name: `${TASKS} no-op tasks end to end in mode pro, concurrency 10`,
    ours: `${rateOf(ours).toFixed(0)}/s`,
    baseline: `${name} ${rateOf(server).toFixed(0)}/s`,
    value: rateOf(ours) / rateOf(server),
    bound: { least },
  }));
}

const peer = (name: string, url: string) =>
  startServer(name, { BENCH_TASKS: String(TASKS), BENCH_POSTGRES_URL: url });
