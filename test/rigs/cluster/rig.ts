import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Random } from '../crash/random.ts';
import { checkCluster, type ClusterFindings } from './check-cluster.ts';
import { ClusterWorld } from './cluster-world.ts';
import { pickFault } from './faults.ts';
import { type Acknowledged, createTasks } from './load.ts';

export interface ClusterRigOptions {
  daemons: number;
  /** Faults until the end of the run. */
  faults: number;
  seed: number;
  /** Only these faults. */
  names?: readonly string[] | undefined;
  say: (line: string) => void;
}

export interface ClusterReport extends ClusterFindings {
  acknowledged: number;
  kills: number;
  /** How often each fault came. */
  faults: Record<string, number>;
  /** What daemons logged as errors: the bugs among them. */
  bugs: string[];
  /** Milliseconds from the last fault until every task was finished. */
  recoveryMs: number;
}

/** Between two faults at most; some come while the last one is not over for the cluster. */
const BETWEEN_MS = 1500;
/** A claim of a daemon that does not come back is over after its lease; two rounds of it are enough. */
const END_MS = 180_000;

/** Creates tasks at several daemons while faults come one after another, and checks the rows in the end. */
export async function runCluster(options: ClusterRigOptions): Promise<ClusterReport> {
  const { seed, say, names } = options;
  const random = new Random(seed);
  await using world = await ClusterWorld.start(options.daemons, random);
  const acknowledged: Acknowledged = new Map();
  const stop = new AbortController();
  const load = createTasks(world, acknowledged, stop.signal);
  const counts: Record<string, number> = {};
  for (let n = 0; n < options.faults; n++) {
    await delay(random.between(0, BETWEEN_MS));
    const fault = pickFault(random, names);
    await fault.run(world);
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    if (n % 20 === 19) say(`${n + 1} faults, ${world.kills} kills, ${acknowledged.size} tasks`);
  }
  const ended = performance.now();
  stop.abort();
  await load;
  await untilFinished(world.databaseUrl);
  const recoveryMs = performance.now() - ended;
  const evidence = { databaseUrl: world.databaseUrl, acknowledged, ran: world.ranTimes() };
  return {
    ...(await checkCluster(evidence)),
    acknowledged: acknowledged.size,
    kills: world.kills,
    faults: counts,
    bugs: world.daemons.flatMap(({ errors }) => errors).filter((line) => line.includes('bug in svc')),
    recoveryMs,
  };
}

/** Waits until no task is open. */
export async function untilFinished(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const until = performance.now() + END_MS;
    while (performance.now() < until) {
      const { rows } = await client.query<{ open: number }>(
        `select count(*)::int as open from tasks where status in ('pending', 'queued', 'in_progress')`,
      );
      if (rows[0]?.open === 0) return;
      await delay(500);
    }
  } finally {
    await client.end();
  }
}
