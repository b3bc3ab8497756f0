import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { PoolStatus, TaskQueue } from '../queue/task-queue.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';
import type { Runtime } from '../runtime.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { ClusterPools } from '../tasks/cluster-pools.ts';
import type { QueueSlots } from '../tasks/queue-slots.ts';
import { anywhere, queuedWorkOf, type QueuedTask } from '../tasks/queued-work.ts';
import { estimateWait } from './estimate-wait.ts';
import type { RunTimeEstimates } from './run-time-estimates.ts';

/** The maximum number of tasks ahead that are counted in a long queue. */
const MAX_COUNTED = 10_000;

type Levels = PoolStatus['levels'];
/** What decides whose slots a task shares. */
type Pooled = Omit<QueuedTask, 'priority' | 'owner_id' | 'needs' | 'home'>;

interface Snapshot {
  pools: Map<string, PoolStatus>;
  /** What waits while the queue is paused and holds nothing itself; slots are not told apart then. */
  paused: Levels | undefined;
  /** Elapsed milliseconds of each active run, by pool. */
  elapsed: Map<string, number[]>;
  average: number;
  /** By pool; those who asked for the same snapshot come one after the other. */
  asked: Map<string, number>;
}

export interface QueueOutlookDeps {
  database: Database;
  estimates: RunTimeEstimates;
  queue: Pick<TaskQueue, 'pools'>;
  /** Of a cluster. */
  clusterPools?: Pick<ClusterPools, 'read'> | undefined;
  pause: Pick<QueuePause, 'isPaused'>;
  slots: Pick<QueueSlots, 'poolOf' | 'slots'>;
  registry: Pick<AgentRegistry, 'choose'>;
  runtime: Runtime;
}

/** Estimates when tasks will start, each among those that share its slots. */
export class QueueOutlook {
  readonly #deps: QueueOutlookDeps;
  readonly #countQueued;
  readonly #findRuns;
  #reading: Promise<Snapshot> | undefined;

  constructor(deps: QueueOutlookDeps) {
    this.#deps = deps;
    const db = deps.database.read;
    this.#countQueued = prepareQuery<object, { priority: number; waiting: number }>(() =>
      db
        .selectFrom('task_counts')
        .select(({ fn }) => ['priority', fn.sum<number>('n').as('waiting')])
        .where('status', '=', 'queued')
        .groupBy('priority'),
    );
    this.#findRuns = prepareQuery<object, Pick<TaskRow, 'started_at' | 'agent_type'> & Pooled>(() =>
      db
        .selectFrom('tasks')
        .select(['started_at', 'agent_type', ...pooledColumns, 'labels'])
        .where('status', '=', 'in_progress')
        .limit(1000),
    );
  }

  /** Estimated milliseconds until a task created now starts. */
  async waitOfNew(task: Pooled & Pick<TaskRow, 'priority'>): Promise<number> {
    const snapshot = await this.#look();
    const pool = this.#poolOf(task);
    const asked = snapshot.asked.get(pool) ?? 0;
    snapshot.asked.set(pool, asked + 1);
    return this.#estimate(snapshot, pool, sumUpTo(levelsOf(snapshot, pool), task.priority) + asked);
  }

  /** Estimated milliseconds until a queued task starts. */
  async waitOf(task: Pooled & Pick<TaskRow, 'priority' | 'created_at' | 'scheduled_for'>): Promise<number> {
    const { runtime } = this.#deps;
    const snapshot = await this.#look();
    const pool = this.#poolOf(task);
    const levels = levelsOf(snapshot, pool);
    const moreUrgent = sumUpTo(levels, task.priority - 1);
    const alike = sumUpTo(levels, task.priority) - moreUrgent;
    const older = alike === 0 ? 0 : await this.#countOlder(task, pool);
    const wait = this.#estimate(snapshot, pool, moreUrgent + Math.min(alike, older));
    const pause = task.scheduled_for === null ? 0 : Date.parse(task.scheduled_for) - runtime.now().getTime();
    return Math.max(wait, pause);
  }

  #estimate({ pools, elapsed, average }: Snapshot, pool: string, ahead: number): number {
    const found = elapsed.get(pool) ?? [];
    // Runs that have a slot and are not stored yet.
    const starting = Math.max(0, (pools.get(pool)?.running ?? 0) - found.length);
    return estimateWait({
      ahead,
      elapsed: [...found, ...Array.from({ length: starting }, () => 0)],
      average,
      concurrency: pools.get(pool)?.slots ?? this.#deps.slots.slots(pool),
    });
  }

  /** Concurrent calls share one snapshot of the queue. */
  #look(): Promise<Snapshot> {
    this.#reading ??= breathe().then(() => {
      this.#reading = undefined;
      return this.#read();
    });
    return this.#reading;
  }

  async #read(): Promise<Snapshot> {
    const { database, estimates, queue, clusterPools, pause, runtime } = this.#deps;
    const paused = pause.isPaused
      ? (await database.read.executeQuery(this.#countQueued({}))).rows
      : undefined;
    const { rows: runs } = await database.read.executeQuery(this.#findRuns({}));
    const average = await estimates.average();
    const now = runtime.now().getTime();
    const elapsed = new Map<string, number[]>();
    for (const { started_at, agent_type, ...task } of runs) {
      const pool = this.#poolOf({ ...task, assigned_agent: agent_type ?? task.assigned_agent });
      const times = elapsed.get(pool) ?? [];
      times.push(Math.max(0, now - Date.parse(started_at ?? '')));
      elapsed.set(pool, times);
    }
    const all = clusterPools ? await clusterPools.read() : queue.pools();
    const pools = new Map(all.map((pool) => [pool.name, pool]));
    return { pools, paused, elapsed, average, asked: new Map() };
  }

  #poolOf(task: Pooled): string {
    const { slots, registry } = this.#deps;
    return slots.poolOf(queuedWorkOf({ ...task, ...anywhere, priority: 0, owner_id: '' }, registry));
  }

  /** Older tasks of the same priority that wait for the same slots. */
  async #countOlder({ priority, created_at }: Pick<TaskRow, 'priority' | 'created_at'>, pool: string) {
    const { database } = this.#deps;
    // Labels choose the agent only where none is named.
    const labels = sql<string>`case when assigned_agent is null then labels else '[]' end`.as('labels');
    const older = database.read
      .selectFrom('tasks')
      .select([...pooledColumns, labels])
      .where('status', '=', 'queued')
      .where('priority', '=', priority)
      .where('created_at', '<', created_at)
      .limit(MAX_COUNTED);
    const groups = await database.read
      .selectFrom(older.as('older'))
      .select(({ fn }) => [...pooledColumns, 'labels', fn.countAll<number>().as('n')])
      .groupBy([...pooledColumns, 'labels'])
      .execute();
    return groups.reduce((sum, { n, ...task }) => (this.#poolOf(task) === pool ? sum + n : sum), 0);
  }
}

const pooledColumns = [
  'assigned_agent',
  'may_command',
  'agent_rule',
  'best_of',
  'interactive',
  'suspect',
] as const;

const levelsOf = ({ pools, paused }: Snapshot, pool: string): Levels =>
  paused ?? pools.get(pool)?.levels ?? [];

const sumUpTo = (levels: Levels, priority: number) =>
  levels.reduce((sum, level) => (level.priority <= priority ? sum + level.waiting : sum), 0);
