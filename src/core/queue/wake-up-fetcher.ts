import { setTimeout as sleep } from 'node:timers/promises';
import type * as BullMq from 'bullmq';
import type { Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { RedisConnections } from '../redis/redis-connections.ts';
import { messageOf } from '../errors.ts';
import type { QueuedWork } from './task-queue.ts';
import { taskOfJob } from './wake-up-jobs.ts';
import { nameOfJobs, type WakeUpPayload, workOfPayload } from './wake-up-payload.ts';

/** Round trips at the same time while there is work. */
const LOOPS = 8;
const AGAIN_MS = 200;
/** How long daemons with a free slot have the first choice. */
const OFFER_MS = 20;
/** How long a wake-up waits for its acknowledgement, and a stop for the round trips under way. */
const PATIENCE_MS = 1000;
/** A daemon that was killed between the two halves of a delivery had its jobs for so long, and at most twice that. */
const LOCK_MS = 10_000;

export interface WakeUpFetcherDeps {
  connections: RedisConnections;
  name: string;
  /** Empty for the queue of all daemons. */
  route: string;
  prefix: string;
  /** Whether this daemon takes work at all. */
  isOpen: () => boolean;
  /** Whether work would start at once here. */
  hasRoom: (work: QueuedWork) => boolean;
  deliver: (id: string, work: QueuedWork) => void;
  /** Milliseconds, unless the usual ones; for tests. */
  lockMs?: number | undefined;
  offerMs?: number | undefined;
}
type WakeUp = Job<WakeUpPayload>;

/**
 * Takes wake-ups from Redis, each for one daemon. A job is acknowledged, and so gone, before its task is handled: the
 * same id can wait again while its task runs, and no lock has to be renewed for hours.
 */
export class WakeUpFetcher {
  readonly #deps: WakeUpFetcherDeps;
  readonly #stopping = new AbortController();
  readonly #bullmq: typeof BullMq;
  readonly #consumer: Redis;
  readonly #worker: Worker<WakeUpPayload>;
  #fetching: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | undefined;

  private constructor(deps: WakeUpFetcherDeps, bullmq: typeof BullMq) {
    const { connections, name, route, prefix, lockMs = LOCK_MS } = deps;
    this.#deps = deps;
    this.#bullmq = bullmq;
    this.#consumer = connections.connectConsumer();
    this.#worker = new bullmq.Worker(nameOfJobs(name, route), null, {
      connection: this.#consumer,
      prefix,
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // A wake-up never fails for good.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) => connections.report(error));
  }

  static async start(deps: WakeUpFetcherDeps): Promise<WakeUpFetcher> {
    const fetcher = new WakeUpFetcher(deps, await import('bullmq'));
    fetcher.#loop = fetcher.#run();
    return fetcher;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // A job in flight would keep its id taken until another daemon finds that it has stalled.
    await Promise.race([this.#fetching, patience()]);
    this.#consumer.disconnect();
    await Promise.race([Promise.all([this.#worker.close(true), this.#loop]), patience()]);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const checking = this.#worker.startStalledCheckTimer();
    checking.catch((error: unknown) => this.#failed(error));
    while (!this.#isStopped) {
      if (!this.#deps.isOpen()) {
        await this.#pause(AGAIN_MS);
        continue;
      }
      const first = await this.#fetchFirst();
      if (!first || this.#isStopped) continue;
      // What there is no slot for is offered to the other daemons before it waits here.
      const isFull = first === 'no room' || (await this.#fetchWith((data) => this.#hasRoom(data)));
      if (!isFull || this.#isStopped) continue;
      await this.#pause(this.#deps.offerMs ?? OFFER_MS);
      await this.#fetchWith(() => true);
    }
  }

  /** Waits for a wake-up, for some seconds; answers undefined where none came. */
  async #fetchFirst(): Promise<'taken' | 'no room' | undefined> {
    const token = crypto.randomUUID();
    try {
      const job = (await this.#worker.getNextJob(token)) as WakeUp | undefined;
      if (!job) return undefined;
      const isTaken = this.#hasRoom(job.data);
      await (this.#fetching = isTaken ? this.#take(job, token, false) : job.moveToWait(token));
      return isTaken ? 'taken' : 'no room';
    } catch (error) {
      await this.#failed(error);
      return undefined;
    }
  }

  /** Takes wake-ups until there are no more, or one that is not wanted; answers whether there was such a one. */
  async #fetchWith(isWanted: (data: unknown) => boolean): Promise<boolean> {
    // One beside the other, because all that a job costs is round trips.
    const loops = Array.from({ length: LOOPS }, () => this.#fetchAll(isWanted));
    this.#fetching = Promise.all(loops);
    return (await Promise.all(loops)).includes(true);
  }

  async #fetchAll(isWanted: (data: unknown) => boolean): Promise<boolean> {
    const token = crypto.randomUUID();
    try {
      let job = (await this.#worker.getNextJob(token, { block: false })) as WakeUp | undefined;
      for (; job; job = await this.#take(job, token, !this.#isStopped)) {
        if (isWanted(job.data)) continue;
        await job.moveToWait(token);
        return true;
      }
    } catch (error) {
      await this.#failed(error);
    }
    return false;
  }

  /** Acknowledges a job and delivers its id; answers the next one, which comes with the same round trip. */
  async #take(job: WakeUp, token: string, takesNext: boolean): Promise<WakeUp | undefined> {
    let isDelivered = false;
    const deliver = () => {
      if (!isDelivered) this.#deps.deliver(taskOfJob(job.id ?? ''), workOfPayload(job.data));
      isDelivered = true;
    };
    // Where Redis takes it and then hangs, the task need not wait: twice is harmless, because the row decides.
    const timer = setTimeout(deliver, PATIENCE_MS);
    try {
      const [data, id] = (await job.moveToCompleted(null, token, takesNext)) as [never?, string?];
      return data && id ? this.#bullmq.Job.fromJSON<WakeUpPayload>(this.#worker, data, id) : undefined;
    } catch (error) {
      // Removed meanwhile, with its task or with everything in Redis.
      if (!/^Missing (?:key|lock) for job/.test(messageOf(error))) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
      deliver();
    }
  }

  #hasRoom(data: unknown): boolean {
    return this.#deps.hasRoom(workOfPayload(data));
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#isStopped) return;
    this.#deps.connections.report(error);
    await this.#pause(AGAIN_MS);
  }

  /** Ends at once where the fetcher is stopped. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

const patience = () => sleep(PATIENCE_MS, undefined, { ref: false });
