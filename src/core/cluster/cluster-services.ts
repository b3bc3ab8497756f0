import type { Config } from '../config/config.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { EventBus } from '../events.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Log } from '../log.ts';
import type { MemoryQueueDeps } from '../queue/memory-queue.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { RedisFault } from '../redis/redis-connections.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Membership } from './membership.ts';
import type { StreamLog, TurnEvent } from './stream-log.ts';

/** What a daemon needs to join a cluster. */
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

/** What a daemon shares with the others of its cluster, or has to itself where it is alone. */
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
    redis?: { fault: () => Promise<RedisFault | undefined> };
    /** Whether the queue has lost its wake-ups, so that the rows have to be queued again; one daemon hears it, once. */
    hasLostQueue: () => Promise<boolean>;
    /** The events of turns, for clients that are connected to another daemon; a daemon that is alone has none. */
    runStreams?: StreamLog<TurnEvent>;
  };
}
