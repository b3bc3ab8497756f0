import { setTimeout as delay } from 'node:timers/promises';
import { poll } from '../poll.ts';
import { Random } from '../crash/random.ts';
import { cancelSomewhere } from './cancel-probe.ts';
import { checkCluster, checkTimes, type ClusterFindings } from './check-cluster.ts';
import { ClusterWorld } from './cluster-world.ts';
import { faultNamed, pickFault } from './faults.ts';
import { ClientLedger, createTasks, subscribe } from './load.ts';

export interface ClusterRigOptions {
  daemons: number;
  /** The run ends after so many faults, and not before so many kills. */
  faults: number;
  kills: number;
  seed: number;
  /** These faults in turn, instead of any. */
  names?: readonly string[] | undefined;
  say: (line: string) => void;
}

export interface ClusterReport extends ClusterFindings {
  acknowledged: number;
  kills: number;
  /** How often each fault came, and what creates met during it. */
  faults: Record<string, FaultReport>;
  /** Milliseconds from the answer to a cancel until the process was gone, by what was wrong. */
  cancelMs: Record<string, number[]>;
  /** What daemons logged as errors: the bugs among them. */
  bugs: string[];
  /** Milliseconds from the last fault until every task was finished. */
  recoveryMs: number;
}

export interface FaultReport {
  times: number;
  creates: number;
  failed: number;
  p50Ms: number;
  maxMs: number;
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
  await subscribe(world);
  const ledger = new ClientLedger();
  const cancelMs: Record<string, number[]> = {};
  const probe = async (name: string) => {
    const ms = await cancelSomewhere(world);
    if (ms !== undefined) (cancelMs[name] ??= []).push(Math.round(ms));
  };
  const stop = new AbortController();
  const load = createTasks(world, ledger, stop.signal);
  const counts = new Map<string, number>();
  for (let n = 0; n < options.faults || world.kills < options.kills; n++) {
    await delay(random.between(0, BETWEEN_MS));
    const fault = names ? faultNamed(names[n % names.length] ?? '') : pickFault(random);
    ledger.fault = fault.name;
    await fault.run(world, probe);
    ledger.fault = 'calm';
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    if (n % 20 === 19) say(`${n + 1} faults, ${world.kills} kills, ${ledger.acknowledged.size} tasks`);
  }
  const ended = performance.now();
  stop.abort();
  await load;
  const missedTimes = await checkTimes(world);
  await untilFinished(world);
  const recoveryMs = Math.round(performance.now() - ended);
  const findings = await checkCluster(world, ledger);
  return {
    ...findings,
    violations: [...missedTimes, ...findings.violations],
    acknowledged: ledger.acknowledged.size,
    kills: world.kills,
    faults: reportFaults(counts, ledger),
    cancelMs,
    bugs: world.daemons.flatMap(({ errors }) => errors).filter((line) => line.includes('bug in svc')),
    recoveryMs,
  };
}

/** Ends the schedule, and waits until every task has ended and the webhook was told. */
export async function untilFinished(world: ClusterWorld): Promise<void> {
  for (const { id } of (await world.anyDaemon().client().schedules.list()).schedules)
    await world
      .anyDaemon()
      .client()
      .schedules.update({ params: { id }, body: { active: false } });
  await using client = await world.connect();
  await poll(
    async () => {
      const { rows } = await client.query<{ open: number }>(
        `select (select count(*) from tasks where status in ('pending', 'queued', 'in_progress'))::int
           + (select count(*) from webhook_deliveries where ended_at is null)::int as open`,
      );
      return rows[0]?.open === 0 || undefined;
    },
    END_MS,
    500,
  );
}

function reportFaults(counts: ReadonlyMap<string, number>, { creates }: ClientLedger) {
  const names = new Set([...counts.keys(), ...creates.keys()]);
  return Object.fromEntries(
    [...names].map((name) => {
      const { times = [], failed = 0 } = creates.get(name) ?? {};
      times.sort((a, b) => a - b);
      const report: FaultReport = {
        times: counts.get(name) ?? 0,
        creates: times.length,
        failed,
        p50Ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
        maxMs: Math.round(times.at(-1) ?? 0),
      };
      return [name, report];
    }),
  );
}
