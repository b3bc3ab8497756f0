import type { Queue } from 'bullmq';
import type { RedisConnections } from '../redis/redis-connections.ts';
import type { WaitingId } from './memory-queue.ts';
import type { QueuedWork } from './task-queue.ts';
import { nameOfJobs, toPayload, type WakeUpPayload } from './wake-up-payload.ts';
import type { WakeUpRoutes } from './wake-up-routes.ts';

/** Jobs per command, so that Redis serves others in between. */
const AT_ONCE = 500;
const LATER = '.later';

export interface WakeUpJobsDeps {
  connections: RedisConnections;
  /** The queue. */
  name: string;
  /** Begins every key in Redis. */
  prefix: string;
  routes: Pick<WakeUpRoutes, 'of'>;
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
  readonly #create: (route: string) => WakeUps;
  /** By route. */
  readonly #queues = new Map<string, Promise<WakeUps>>();
  /** Ids that this daemon delayed, with their routes: a wake-up now takes the place of theirs. */
  readonly #delayed = new Map<string, string>();

  private constructor(deps: WakeUpJobsDeps, create: (route: string) => WakeUps) {
    this.#deps = deps;
    this.#create = create;
  }

  static async open(deps: WakeUpJobsDeps): Promise<WakeUpJobs> {
    const { Queue } = await import('bullmq');
    const { connections, name, prefix } = deps;
    const create = (route: string) => {
      const queue: WakeUps = new Queue(nameOfJobs(name, route), {
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
      this.#use(
        this.#deps.routes.of(work),
        async (queue) => void (await queue.add('wake', toPayload(work), { jobId: id })),
      ),
      this.removeLater(id),
    ]);
    return isAdded;
  }

  /** Adds a wake-up for later; of two for the same id, the earlier one holds. `isLeft`: this daemon cannot run it. */
  addLater(id: string, work: QueuedWork, delayMs: number, isLeft = false): Promise<boolean> {
    const route = this.#deps.routes.of(work, isLeft);
    const jobId = laterOf(id);
    const due = Date.now() + delayMs;
    return this.#use(route, async (queue) => {
      const [waiting, known] = await Promise.all([queue.getJob(id), queue.getJob(jobId)]);
      if (waiting || (known && (known.data.due ?? 0) <= due)) return;
      // BullMQ ignores a shorter delay of an id that it has.
      if (known) await queue.remove(jobId);
      await queue.add('wake', { ...toPayload(work), due }, { jobId, delay: Math.ceil(delayMs) });
      this.#delayed.set(id, route);
    });
  }

  /** Adds many; those that Redis did not take are lost, and found by the sweep of the rows. */
  async addAll(waiting: readonly WaitingId[]): Promise<boolean> {
    const byRoute = Map.groupBy(waiting, ({ work }) => this.#deps.routes.of(work));
    for (const [route, ids] of byRoute) if (!(await this.#addTo(route, ids))) return false;
    return true;
  }

  async #addTo(route: string, waiting: readonly WaitingId[]): Promise<boolean> {
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
      if (!(await this.#use(route, async (queue) => void (await queue.addBulk(jobs))))) return false;
    }
    return true;
  }

  /** From the queues that this daemon has used: in another one it is harmless. */
  async remove(id: string): Promise<void> {
    this.#delayed.delete(id);
    const routes = new Set(['', ...this.#queues.keys()]);
    await Promise.all(
      [...routes].map((route) =>
        this.#use(route, async (queue) => {
          await Promise.all([queue.remove(id), queue.remove(laterOf(id))]);
        }),
      ),
    );
  }

  /** Removes a wake-up for later, if this daemon has added it: that of another one comes as well, which is harmless. */
  async removeLater(id: string): Promise<void> {
    const route = this.#delayed.get(id);
    if (route === undefined) return;
    this.#delayed.delete(id);
    await this.#use(route, async (queue) => void (await queue.remove(laterOf(id))));
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
    const { connections } = this.#deps;
    const queues = [...this.#queues.values()];
    this.#queues.clear();
    await Promise.all(
      queues.map((queue) =>
        queue.then((each) => each.close()).catch((error: unknown) => connections.report(error)),
      ),
    );
  }

  async #use(route: string, work: (queue: WakeUps) => Promise<void>): Promise<boolean> {
    const done = await this.#deps.connections.attempt(async () => {
      let queue = this.#queues.get(route);
      if (!queue) this.#queues.set(route, (queue = this.#open(route)));
      return work(await queue);
    });
    return done !== undefined;
  }

  /** BullMQ asks Redis for its version first; one that did not answer then is asked again by the next call. */
  async #open(route: string): Promise<WakeUps> {
    const queue = this.#create(route);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      this.#queues.delete(route);
      throw error;
    }
  }
}

const laterOf = (id: string) => `${id}${LATER}`;
