import { noNeeds, type Requirements } from '../placement.ts';

/** Where work waits: behind tasks, in the reserved lane for people who wait, or alone because it may end the daemon. */
export type Lane = 'task' | 'interactive' | 'suspect';

/** What the queue knows of an id. */
export interface QueuedWork extends Requirements {
  /** 1 first, 4 last; 3 unless given. */
  priority: number;
  /** Users share the slots of a priority. */
  owner: string;
  lane: Lane;
}

export interface EnqueueOptions extends Partial<QueuedWork> {
  /** Milliseconds before it may be delivered. */
  delayMs?: number;
}

/** What is less is urgent. */
export const NORMAL_PRIORITY = 3;

/** The work of an id of which not everything was said. */
export const workOf = ({
  priority = NORMAL_PRIORITY,
  owner = '',
  agent = '',
  needs = noNeeds,
  lane = 'task',
}: Partial<QueuedWork>): QueuedWork => ({ priority, owner, agent, needs, lane });

/** How many ids are delivered at the same time; read at every decision, so that changes hold at once. */
export interface QueueLimits {
  /** Work of one pool shares its slots. */
  poolOf(work: QueuedWork): string;
  slots(pool: string): number;
  /** The last slots of a pool are for owners of whom nothing runs in it. */
  reserved(pool: string): number;
  /** How much an owner gets in relation to others. */
  weight(owner: string): number;
  /** Across all pools, interactive work aside. */
  perOwner(): number;
  perOwnerAndAgent(): number;
  /** Waiting this long counts as one step of priority. */
  agingMs(): number;
}

/** A pool as the status shows it. */
export interface PoolStatus {
  name: string;
  slots: number;
  running: number;
  /** Due, without those that wait for a later time. */
  waiting: number;
  /** Owners of the waiting work. */
  users: number;
  /** What waits, by priority; those without waiting work may be missing. */
  levels: { priority: number; waiting: number }[];
}

/** The slot of delivered work, which it need not keep while it only waits. */
export interface WorkSlot {
  /** Gives the slot to other work. */
  release(): void;
  /**
   * Resolves once the work has a slot again, which it gets before work that has not started; rejects with the reason of
   * the signal.
   */
  acquire(signal: AbortSignal): Promise<void>;
}

/** Wakes workers: it carries ids only and may forget them, because the store knows what has to run. */
export interface TaskQueue {
  /** Delivers the id once; an id that already waits keeps its position, but a shorter delay holds. */
  enqueue(id: string, options?: EnqueueOptions): Promise<void>;
  /**
   * Runs work in a slot without waiting where one is free and nothing waits before it; answers false otherwise, and may
   * always do so. What `run` throws does not stop the queue.
   */
  runNow(work: QueuedWork, run: (slot: WorkSlot) => Promise<void>): boolean;
  /** Takes back an id that was not delivered yet. */
  remove(id: string): Promise<void>;
  /**
   * Calls `handle` for ids within the limits of the queue, or for `concurrency` at a time where it has none; what it
   * throws does not stop the queue. Called again, it looks at the limits again.
   */
  start(
    handle: (id: string, work: QueuedWork, slot: WorkSlot) => Promise<void>,
    options: { concurrency: number },
  ): Promise<void>;
  /** Stops delivering and resolves when the deliveries in progress have finished. */
  close(): Promise<void>;
  /** The pools with work, by name. */
  pools(): PoolStatus[];
}
