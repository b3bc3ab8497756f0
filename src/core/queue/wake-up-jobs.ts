import type { Queue } from 'bullmq';
import type { RedisConnections } from '../redis/redis-connections.ts';
import type { WaitingId } from './memory-queue.ts';
import type { QueuedWork } from './task-queue.ts';
import { nameOfJobs, toPayload, type WakeUpPayload } from './wake-up-payload.ts';

/** Jobs per command, so that Redis serves others in between. */
const AT_ONCE = 500;
const LATER = '.later';

export interface WakeUpJobsDeps {
  connections: RedisConnections;
  /** The queue. */
  name: string;
  /** Begins every key in Redis. */
  prefix: string;
}
type WakeUps = Queue<WakeUpPayload>;

/** The id of the task that a job wakes. */
export const taskOfJob = (jobId: string): string =>
  jobId.endsWith(LATER) ? jobId.slice(0, -LATER.length) : jobId;

/**
 * The wake-ups in Redis, as the daemons that add them see them. Every method takes half a second at most, and answers
 * false where Redis did not answer.
 */
export class WakeUpJobs {
  readonly #deps: WakeUpJobsDeps;
  readonly #create: () => WakeUps;
  #queue: Promise<WakeUps> | undefined;
  /** Ids that this daemon delayed: a wake-up now takes the place of theirs. */
  readonly #delayed = new Set<string>();

  private constructor(deps: WakeUpJobsDeps, create: () => WakeUps) {
    this.#deps = deps;
    this.#create = create;
  }

  static async open(deps: WakeUpJobsDeps): Promise<WakeUpJobs> {
    const { Queue } = await import('bullmq');
    const { connections, name, prefix } = deps;
    const create = () => {
      const queue: WakeUps = new Queue(nameOfJobs(name), {
        connection: connections.producer,
        prefix,
        // Retries are the core's; a job that is done leaves nothing that could keep its id taken.
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
        skipMetasUpdate: true,
      });
      queue.on('error', (error) => connections.report(error));
      return queue;
    };
    return new WakeUpJobs(deps, create);
  }

  /** Adds a wake-up; one that waits already keeps its position. */
  async add(id: string, work: QueuedWork): Promise<boolean> {
    const [isAdded] = await Promise.all([
      this.#use(async (queue) => void (await queue.add('wake', toPayload(work), { jobId: id }))),
      this.removeLater(id),
    ]);
    return isAdded;
  }

  /** Adds a wake-up for later; of two for the same id, the earlier one holds. */
  addLater(id: string, work: QueuedWork, delayMs: number): Promise<boolean> {
    const jobId = laterOf(id);
    const due = Date.now() + delayMs;
    return this.#use(async (queue) => {
      const [waiting, known] = await Promise.all([queue.getJob(id), queue.getJob(jobId)]);
      if (waiting || (known && (known.data.due ?? 0) <= due)) return;
      // BullMQ ignores a shorter delay of an id that it has.
      if (known) await queue.remove(jobId);
      await queue.add('wake', { ...toPayload(work), due }, { jobId, delay: Math.ceil(delayMs) });
      this.#delayed.add(id);
    });
  }

  /** Adds many; those that Redis did not take are lost, and found by the sweep of the rows. */
  async addAll(waiting: readonly WaitingId[]): Promise<boolean> {
    for (let at = 0; at < waiting.length; at += AT_ONCE) {
      const jobs = waiting.slice(at, at + AT_ONCE).map(({ id, work, delayMs }) =>
        delayMs > 0
          ? {
              name: 'wake',
              data: { ...toPayload(work), due: Date.now() + delayMs },
              opts: { jobId: laterOf(id), delay: Math.ceil(delayMs) },
            }
          : { name: 'wake', data: toPayload(work), opts: { jobId: id } },
      );
      if (!(await this.#use(async (queue) => void (await queue.addBulk(jobs))))) return false;
    }
    return true;
  }

  remove(id: string): Promise<boolean> {
    this.#delayed.delete(id);
    return this.#use(async (queue) => {
      await Promise.all([queue.remove(id), queue.remove(laterOf(id))]);
    });
  }

  /** Removes a wake-up for later, if this daemon has added it: that of another one comes as well, which is harmless. */
  async removeLater(id: string): Promise<void> {
    if (this.#delayed.delete(id)) await this.#use(async (queue) => void (await queue.remove(laterOf(id))));
  }

  /** To be called with what was delivered. */
  forget(id: string): void {
    this.#delayed.delete(id);
  }

  /**
   * Whether Redis has lost its keys since this was asked the last time, by whichever daemon: only one of them hears it. Of
   * a failover that lost only the latest writes it knows nothing.
   */
  async wereLost(): Promise<boolean> {
    const { connections, name, prefix } = this.#deps;
    const marked = await connections.attempt((redis) => redis.set(`${prefix}:${name}:alive`, '1', 'NX'));
    return marked?.value === 'OK';
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    await queue?.then((each) => each.close()).catch((error: unknown) => this.#deps.connections.report(error));
  }

  async #use(work: (queue: WakeUps) => Promise<void>): Promise<boolean> {
    const done = await this.#deps.connections.attempt(async () => work(await (this.#queue ??= this.#open())));
    return done !== undefined;
  }

  /** BullMQ asks Redis for its version first; one that did not answer then is asked again by the next call. */
  async #open(): Promise<WakeUps> {
    const queue = this.#create();
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      this.#queue = undefined;
      throw error;
    }
  }
}

const laterOf = (id: string) => `${id}${LATER}`;
