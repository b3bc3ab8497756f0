import type { TaskQueue } from '../queue/task-queue.ts';
import type { ActiveRuns } from './active-runs.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { DrainOrder, Membership } from '../cluster/membership.ts';

const LOOK_EVERY_MS = 250;

export interface DrainDeps {
  membership: Pick<Membership, 'onOrder' | 'markDrained'>;
  queue: Pick<TaskQueue, 'pools'>;
  intake: { isOpen: boolean };
  runs: Pick<ActiveRuns, 'claims' | 'stopClaim' | 'stopWaiting' | 'allowWaiting'>;
  /** Gives what waits here to the other daemons. */
  handOver: () => Promise<void>;
  /** Looks again for work. */
  resume: () => Promise<void>;
  reportBug: (error: unknown) => void;
  runtime: Pick<Runtime, 'now'>;
  log: Log;
}

/**
 * Makes this daemon take no more tasks while an administrator drains it. Runs that wait for a person go to another daemon,
 * others finish; those that are under way when the time is up are queued again.
 */
export class Drain {
  readonly #deps: DrainDeps;
  readonly #stop = Promise.withResolvers<void>();
  #order: DrainOrder | undefined;
  #isMarked = false;
  #isMarking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: DrainDeps) {
    this.#deps = deps;
    deps.membership.onOrder((order) => (order ? this.#begin(order) : this.#end()));
  }

  get isDraining(): boolean {
    return this.#order !== undefined;
  }

  /** Resolves when the daemon was ordered to stop, and runs nothing any more. */
  get stopRequested(): Promise<void> {
    return this.#stop.promise;
  }

  /** Ends the watch over the runs. */
  close(): void {
    clearInterval(this.#timer);
  }

  #begin(order: DrainOrder): void {
    const { intake, runs, handOver, reportBug } = this.#deps;
    this.#order = order;
    this.#isMarked = order.done ?? false;
    intake.isOpen = false;
    runs.stopWaiting('shutdown');
    handOver().catch(reportBug);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(order), LOOK_EVERY_MS).unref();
  }

  #look({ until, stop }: DrainOrder): void {
    const { runs, queue, runtime } = this.#deps;
    const claims = runs.claims();
    const isTimeUp = until !== undefined && runtime.now().toISOString() >= until;
    if (isTimeUp) for (const { id, fence } of claims) runs.stopClaim(id, fence, 'shutdown');
    // A claim that is being stored holds a slot, and a run that only waits for its outcome is on the list.
    if (claims.length > 0 || queue.pools().some(({ running }) => running > 0)) return;
    if (!this.#isMarked) void this.#mark();
    else if (stop) this.#stop.resolve();
  }

  /** The next look tries again. */
  async #mark(): Promise<void> {
    if (this.#isMarking) return;
    const { membership, log } = this.#deps;
    this.#isMarking = true;
    try {
      await membership.markDrained();
      this.#isMarked = true;
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'it could not be stored that this daemon is drained');
    } finally {
      this.#isMarking = false;
    }
  }

  #end(): void {
    const { intake, runs, resume, reportBug } = this.#deps;
    this.close();
    this.#order = undefined;
    intake.isOpen = true;
    runs.allowWaiting();
    resume().catch(reportBug);
  }
}
