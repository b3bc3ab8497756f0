import type { RedisConnections } from '../redis/redis-connections.ts';
import { openIntake } from './intake.ts';
import { MemoryQueue, type MemoryQueueDeps, type WaitingId } from './memory-queue.ts';
import { type OwnPools, SharedCapacity, type SharedCapacityDeps } from './shared-capacity.ts';
import {
  type EnqueueOptions,
  NORMAL_PRIORITY,
  type PoolStatus,
  type QueuedWork,
  type TaskQueue,
  workOf,
  type WorkSlot,
} from './task-queue.ts';
import { WakeUpFetcher } from './wake-up-fetcher.ts';
import { WakeUpJobs } from './wake-up-jobs.ts';
import type { WakeUpRoutes } from './wake-up-routes.ts';

export interface BullMqQueueDeps extends MemoryQueueDeps {
  connections: RedisConnections;
  /** The queue; daemons with the same name and prefix share its work. */
  name: string;
  prefix: string;
  /** Through which queues its wake-ups travel; through a single one unless given. */
  routes?: WakeUpRoutes;
  /** Whether there are daemons that could take work from this one. */
  hasOthers?: () => boolean;
  /** How the daemons tell each other of free slots; without it any of them may have some. */
  capacity?: SharedCapacityDeps;
  /** How long a daemon that is killed keeps the job in its hands, in milliseconds; for tests. */
  lockMs?: number;
  /** How long a daemon without a free slot leaves a job to the others, in milliseconds; for tests. */
  offerMs?: number;
}

const oneRoute: WakeUpRoutes = { of: () => '', own: () => [] };
/** How long a wake-up that only other daemons can use is left to them. */
const LEAVE_MS = 500;

/**
 * The queue of a cluster: a fair waiting line in each daemon, and BullMQ between them, which carries wake-ups from
 * daemons without a free slot to those that may have one. Without Redis everything waits in the line of its daemon.
 */
export class BullMqQueue implements TaskQueue {
  readonly #deps: BullMqQueueDeps;
  readonly #jobs: WakeUpJobs;
  readonly #local: MemoryQueue;
  readonly #intake;
  readonly #routes: WakeUpRoutes;
  readonly #capacity: SharedCapacity | undefined;
  /** By route. */
  readonly #fetchers = new Map<string, Promise<WakeUpFetcher>>();
  #isStarted = false;
  #closed: Promise<void> | undefined;
  /** What goes back when this daemon stops. */
  #returned: WaitingId[] | undefined;

  private constructor(deps: BullMqQueueDeps, jobs: WakeUpJobs) {
    this.#deps = deps;
    this.#jobs = jobs;
    this.#capacity = deps.capacity && new SharedCapacity(deps.capacity, this.#ownPools());
    this.#local = new MemoryQueue({ ...deps, onChange: (pool) => this.#capacity?.change(pool) });
    this.#intake = deps.intake ?? openIntake;
    this.#routes = deps.routes ?? oneRoute;
    deps.connections.producer.on('ready', () => void this.handOver());
  }

  static async open(deps: BullMqQueueDeps): Promise<BullMqQueue> {
    return new BullMqQueue(deps, await WakeUpJobs.open({ routes: oneRoute, ...deps }));
  }

  async enqueue(id: string, options: EnqueueOptions = {}): Promise<void> {
    const { delayMs = 0 } = options;
    const work = workOf(options);
    const isForHere =
      this.#local.has(id) || (delayMs <= 0 && (this.#local.hasRoom(work) || !this.#hasTakers(work)));
    if (isForHere) {
      const isEarlier = delayMs <= 0 ? this.#jobs.removeLater(id) : undefined;
      await Promise.all([this.#local.enqueue(id, options), isEarlier]);
    } else if (!(await (delayMs > 0 ? this.#jobs.addLater(id, work, delayMs) : this.#jobs.add(id, work))))
      // Where this daemon is closed too, the rows remember.
      await this.#local.enqueue(id, options);
  }

  runNow(work: QueuedWork, run: (slot: WorkSlot) => Promise<void>): boolean {
    return this.#local.runNow(work, run);
  }

  async remove(id: string): Promise<void> {
    await Promise.all([this.#local.remove(id), this.#jobs.remove(id)]);
  }

  async start(
    handle: (id: string, work: QueuedWork, slot: WorkSlot) => Promise<void>,
    options: { concurrency: number },
  ): Promise<void> {
    await this.#local.start(handle, options);
    this.#isStarted = true;
    this.#capacity?.start();
    await this.listen();
  }

  /** Listens to the queues that are this daemon's by now; it never stops to listen to one. */
  async listen(): Promise<void> {
    if (!this.#isStarted || this.#closed) return;
    for (const route of ['', ...this.#routes.own()])
      if (!this.#fetchers.has(route))
        this.#fetchers.set(
          route,
          WakeUpFetcher.start({
            ...this.#deps,
            route,
            isOpen: () => this.#intake.isOpen,
            hasRoom: (work) => this.#local.hasRoom(work),
            deliver: (id, work) => void this.#take(id, work),
          }),
        );
    await Promise.all(this.#fetchers.values());
  }

  /** What waits here goes back to the other daemons. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  pools(): PoolStatus[] {
    return this.#local.pools();
  }

  /** Whether Redis has lost the wake-ups, so that the rows have to be queued again; one daemon hears it, once. */
  wasEmptied(): Promise<boolean> {
    return this.#jobs.wereLost();
  }

  /** Gives what waits here to the other daemons, where this one takes no tasks; it keeps what Redis does not take. */
  async handOver(): Promise<void> {
    if ((this.#isStarted && this.#intake.isOpen) || this.#closed) return;
    await this.#give(this.#local.takeAll());
  }

  /** What Redis does not take stays here. */
  async #give(waiting: readonly WaitingId[]): Promise<void> {
    if (await this.#jobs.addAll(waiting)) return;
    for (const { id, work, delayMs } of waiting) await this.#local.enqueue(id, { ...work, delayMs });
  }

  /** Whether another daemon may run it before this one does; one that does not run it itself always needs others. */
  #hasTakers(work: QueuedWork): boolean {
    if (!this.#isStarted || !this.#intake.isOpen) return true;
    if (!(this.#deps.hasOthers?.() ?? true)) return false;
    if (!this.#capacity || !this.#intake.runs(work)) return true;
    // The daemon that gets it runs it before what waits there.
    if (work.priority < NORMAL_PRIORITY) return true;
    return this.#capacity.offer(this.#local.poolOf(work));
  }

  #ownPools(): OwnPools {
    return {
      names: () => this.#local.pools().map(({ name }) => name),
      slots: (pool) => this.#local.slots(pool),
      free: (pool) => this.#local.free(pool),
      waiting: (pool) => this.#local.waiting(pool),
      give: (pool, count) => {
        if (!this.#closed) void this.#give(this.#local.takeDue(pool, count));
      },
    };
  }

  async #close(): Promise<void> {
    this.#capacity?.stop();
    this.#returned = this.#local.takeAll();
    const drained = this.#local.close();
    const fetchers = await Promise.all(this.#fetchers.values());
    await Promise.all(fetchers.map((fetcher) => fetcher.stop()));
    await this.#jobs.addAll(this.#returned);
    await drained;
    await this.#jobs.close();
  }

  async #take(id: string, work: QueuedWork): Promise<void> {
    this.#jobs.forget(id);
    if (this.#returned) return void this.#returned.push({ id, work, delayMs: 0 });
    // Where Redis does not take it back, the rows remember.
    if (!this.#intake.isOpen) await this.#jobs.add(id, work);
    else if (!this.#intake.runs(work)) await this.#jobs.addLater(id, work, LEAVE_MS, true);
    else await this.#local.enqueue(id, work);
  }
}
