import type { QueueStatus } from '../../contract/queue.ts';
import type { Config } from '../config/config.ts';
import type { ClusterPools } from './cluster-pools.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import { queueCounts, type TaskCountStore } from '../storage/task-count-store.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { PoolStatus, TaskQueue } from '../queue/task-queue.ts';
import { type QueueSlots, SHARED_POOL } from './queue-slots.ts';

export interface QueueStatusDeps {
  counts: TaskCountStore;
  deadLetters: DeadLetterStore;
  pause: QueuePause;
  queue: Pick<TaskQueue, 'pools'>;
  /** Of a cluster. */
  clusterPools: Pick<ClusterPools, 'read' | 'slots'> | undefined;
  slots: QueueSlots;
  config: Config;
}

/** Shows the queue as the rows have it, and how it shares its slots. */
export class QueueStatusService {
  readonly #deps: QueueStatusDeps;
  constructor(deps: QueueStatusDeps) {
    this.#deps = deps;
  }

  get isPaused(): boolean {
    return this.#deps.pause.isPaused;
  }

  async read(): Promise<QueueStatus> {
    const { counts, deadLetters, pause, config, clusterPools } = this.#deps;
    const shared = await clusterPools?.slots();
    return {
      mode: clusterPools ? 'redis' : 'memory',
      paused: pause.isPaused,
      queues: { tasks: queueCounts(await counts.cells()) },
      workers: {
        tasks: {
          running: !pause.isPaused,
          concurrency: shared?.of(SHARED_POOL) ?? config.get('queue.concurrency'),
        },
        notifications: {
          running: true,
          concurrency: config.get('queue.notificationConcurrency') * (shared?.workers ?? 1),
        },
      },
      pools: clusterPools ? (await clusterPools.read()).map(withoutLevels) : this.#pools(),
      limits: this.#limits(),
      deadLetterQueue: await deadLetters.counts(),
    };
  }

  #pools(): QueueStatus['pools'] {
    const { queue, slots } = this.#deps;
    const used = new Map<string, QueueStatus['pools'][number]>();
    for (const pool of queue.pools()) used.set(pool.name, withoutLevels(pool));
    const unused = slots.names().filter((name) => !used.has(name));
    for (const name of unused)
      used.set(name, { name, slots: slots.slots(name), running: 0, waiting: 0, users: 0 });
    return [...used.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #limits(): QueueStatus['limits'] {
    const { config } = this.#deps;
    const perUser = config.get('queue.maxConcurrentPerUser');
    const perUserAndAgent = config.get('queue.maxConcurrentPerUserAndAgent');
    return {
      ...(perUser !== undefined && { perUser }),
      ...(perUserAndAgent !== undefined && { perUserAndAgent }),
      agingMs: config.get('queue.agingMs'),
    };
  }
}

const withoutLevels = ({ name, slots, running, waiting, users }: PoolStatus) => ({
  name,
  slots,
  running,
  waiting,
  users,
});
