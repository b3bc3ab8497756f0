import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import type { Log } from '../log.ts';
import { MemoryQueue, type MemoryQueueDeps } from '../queue/memory-queue.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Runtime } from '../runtime.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Membership } from './membership.ts';
import type { StreamLog, TurnEvent } from './stream-log.ts';

export interface ClusterDeps {
  config: Config;
  bus: EventBus;
  daemon: DaemonIdentity;
  /** What other daemons hear of a task. */
  taskColumns: readonly (keyof TaskHead)[];
  membership?: Pick<Membership, 'hasOtherWorkers' | 'others' | 'ownAgents' | 'onOthers'> | undefined;
  runtime: Runtime;
  log: Log;
  reportBug: (error: unknown) => void;
}

export interface ClusterServices {
  /** All rate limits, of the whole cluster. */
  limits: RateLimits;
  cluster: {
    /** The queue of tasks; the caller closes it. */
    openQueue: (deps: MemoryQueueDeps) => Promise<TaskQueue>;
    /** Whether another daemon may have the waiting work in its line. */
    hasOthers: () => boolean;
    /** Gives the work that waits in the line of this daemon to the others. */
    handOver: () => Promise<void>;
    /** What is wrong with Redis, if anything; a daemon that is alone uses none. */
    redis?: { fault: () => { since: Date; message: string } | undefined };
    /** Whether the queue has lost its wake-ups, so that the rows have to be queued again; one daemon hears it, once. */
    hasLostQueue: () => Promise<boolean>;
    /** The events of turns, for clients that are connected to another daemon; a daemon that is alone has none. */
    runStreams?: StreamLog<TurnEvent>;
  };
}

/** Joins the daemon to the others by Redis, or gives it what works within the process where it is alone. */
export async function composeCluster(deps: ClusterDeps): Promise<Feature<ClusterServices>> {
  const url = deps.config.get('queue.redis.url');
  if (url === undefined) return alone(deps);
  // A daemon that is alone never loads Redis.
  const { joinCluster } = await import('./join-cluster.ts');
  return joinCluster({ ...deps, url });
}

const alone = ({ runtime }: ClusterDeps): Feature<ClusterServices> => ({
  services: {
    limits: new RateLimits(runtime.monotonic),
    cluster: {
      openQueue: async (queue) => new MemoryQueue(queue),
      hasOthers: () => false,
      handOver: async () => undefined,
      hasLostQueue: async () => false,
    },
  },
});
