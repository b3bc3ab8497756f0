import { setImmediate as breathe } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Runtime } from '../runtime.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import { estimateWait } from './estimate-wait.ts';
import type { RunTimeEstimates } from './run-time-estimates.ts';

/** The maximum number of tasks ahead that are counted in a long queue. */
const MAX_COUNTED = 10_000;

interface Snapshot {
  queued: { priority: number; n: number }[];
  /** Elapsed milliseconds of each active run. */
  elapsed: number[];
  average: number;
  /** Those who asked for the same snapshot come one after the other. */
  asked: number;
}

export interface QueueOutlookDeps {
  database: Database;
  estimates: RunTimeEstimates;
  config: Config;
  runtime: Runtime;
}

/** Estimates when tasks will start. */
export class QueueOutlook {
  readonly #deps: QueueOutlookDeps;
  readonly #countQueued;
  readonly #findRuns;
  #reading: Promise<Snapshot> | undefined;

  constructor(deps: QueueOutlookDeps) {
    this.#deps = deps;
    const db = deps.database.read;
    this.#countQueued = prepareQuery<object, { priority: number; n: number }>(() =>
      db
        .selectFrom('task_counts')
        .select(({ fn }) => ['priority', fn.sum<number>('n').as('n')])
        .where('status', '=', 'queued')
        .groupBy('priority'),
    );
    this.#findRuns = prepareQuery<object, { started_at: string | null }>(() =>
      db.selectFrom('tasks').select('started_at').where('status', '=', 'in_progress').limit(1000),
    );
  }

  /** Estimated milliseconds until a task created now starts. */
  async waitOfNew(priority: number): Promise<number> {
    const snapshot = await this.#look();
    return this.#estimate(snapshot, sumUpTo(snapshot, priority) + snapshot.asked++);
  }

  /** Estimated milliseconds until a queued task starts. */
  async waitOf(task: Pick<StoredTask, 'priority' | 'created_at' | 'scheduled_for'>): Promise<number> {
    const { runtime } = this.#deps;
    const snapshot = await this.#look();
    const moreUrgent = sumUpTo(snapshot, task.priority - 1);
    const alike = sumUpTo(snapshot, task.priority) - moreUrgent;
    const wait = this.#estimate(
      snapshot,
      moreUrgent + Math.min(alike, await this.#countOlder(task.created_at)),
    );
    const pause = task.scheduled_for === null ? 0 : Date.parse(task.scheduled_for) - runtime.now().getTime();
    return Math.max(wait, pause);
  }

  #estimate({ elapsed, average }: Snapshot, ahead: number): number {
    return estimateWait({
      ahead,
      elapsed,
      average,
      concurrency: this.#deps.config.get('queue.concurrency'),
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
    const { database, estimates, runtime } = this.#deps;
    const { rows: queued } = await database.read.executeQuery(this.#countQueued({}));
    const { rows: runs } = await database.read.executeQuery(this.#findRuns({}));
    const now = runtime.now().getTime();
    const elapsed = runs.map(({ started_at }) => Math.max(0, now - Date.parse(started_at ?? '')));
    return { queued, elapsed, average: await estimates.average(), asked: 0 };
  }

  async #countOlder(createdAt: string): Promise<number> {
    const { database } = this.#deps;
    const older = database.read
      .selectFrom('tasks')
      .select('seq')
      .where('status', '=', 'queued')
      .where('created_at', '<', createdAt)
      .limit(MAX_COUNTED);
    const row = await database.read
      .selectFrom(older.as('older'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirst();
    return row?.n ?? 0;
  }
}

const sumUpTo = ({ queued }: Snapshot, priority: number) =>
  queued.reduce((sum, row) => (row.priority <= priority ? sum + row.n : sum), 0);
