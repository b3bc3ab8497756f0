import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type BenchServer, startServer } from './child.ts';
import { MeasuredCluster } from './measured-cluster.ts';
import { type Figure, median } from './report.ts';

const TASKS = 12_000;
const ROUNDS = 2;
const RUNS = 3;
const LOOK_EVERY_MS = 10;

/**
 * Tasks from creation to recorded end by three daemons on one database, beside one daemon; each alone on the machine, in
 * turn, because idle daemons and the upkeep of their database would take their share of its few cores.
 */
export async function clusterScale(): Promise<Figure[]> {
  await using cluster = await MeasuredCluster.start();
  const times: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, count] of [1, 3].entries()) {
      const { daemons, database, drop } = await startDaemons(cluster, count);
      try {
        // Not counted: each of three processes compiles its code while it has run a third of the tasks of the one.
        await timeTasks({ daemons, database });
        for (let run = 0; run < RUNS; run++) times[index]?.push(await timeTasks({ daemons, database }));
      } finally {
        await Promise.all(daemons.map((daemon) => daemon.stop()));
      }
      if (count === 1) bytes = await bytesPerTask(database);
      await database.end();
      await drop();
    }
  return figuresOf(times, bytes);
}

function figuresOf(times: [number[], number[]], bytes: number): Figure[] {
  const [rateOfOne, rateOfThree] = times.map((each) => (TASKS / median(each)) * 1000) as [number, number];
  return [
    {
      name: `${TASKS} no-op tasks end to end, three daemons, concurrency 10 each`,
      ours: `${rateOfThree.toFixed(0)}/s`,
      baseline: `one daemon ${rateOfOne.toFixed(0)}/s`,
      value: rateOfThree / rateOfOne,
      bound: { least: 1.3 },
    },
    {
      name: 'a no-op task in PostgreSQL, with its events and their indexes',
      ours: `${(bytes / 1024).toFixed(1)} KiB`,
      baseline: '',
      value: bytes / 1024,
      bound: { most: 8 },
    },
  ];
}

/** After a vacuum, which takes what the states before the last one left. */
async function bytesPerTask(database: pg.Client): Promise<number> {
  await database.query('vacuum full');
  const { rows } = await database.query<{ bytes: number; tasks: number }>(
    `select pg_database_size(current_database())::float8 as bytes, (select count(*) from tasks)::int as tasks`,
  );
  const [{ bytes, tasks } = { bytes: 0, tasks: 1 }] = rows;
  return bytes / tasks;
}

interface Daemons {
  daemons: BenchServer[];
  database: pg.Client;
  drop: () => Promise<void>;
}

async function startDaemons(cluster: MeasuredCluster, count: number): Promise<Daemons> {
  const { url, drop } = await cluster.postgres.newDatabase();
  const database = new pg.Client(url);
  await database.connect();
  const queue = { SVC_QUEUE_NAME: new URL(url).pathname.slice(1), BENCH_TASKS: String(TASKS) };
  const daemons: BenchServer[] = [];
  for (let n = 0; n < count; n++)
    daemons.push(await startServer('svc-queue', { ...cluster.environment(url), ...queue }));
  return { daemons, database, drop };
}

/** Milliseconds until the rows say that all are completed. */
async function timeTasks({ daemons, database }: Omit<Daemons, 'drop'>): Promise<number> {
  const completed = async () => {
    const { rows } = await database.query<{ n: number }>(
      `select coalesce(sum(n), 0)::int as n from task_counts where status = 'completed'`,
    );
    return rows[0]?.n ?? 0;
  };
  const until = (await completed()) + TASKS;
  const started = performance.now();
  await Promise.all(daemons.map((daemon) => daemon.ask({ create: TASKS / daemons.length })));
  while ((await completed()) < until) await delay(LOOK_EVERY_MS);
  return performance.now() - started;
}
