import { BackgroundSweep, type BackgroundSweepDeps } from '../async/background-sweep.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { untilStored } from '../storage/until-stored.ts';
import type { Delivery } from './delivery-lane.ts';
import {
  type AttemptOutcome,
  DeliveryLanes,
  type DeliveryLanesDeps,
  type SendContext,
} from './delivery-lanes.ts';

export interface DelivererDeps extends Omit<DeliveryLanesDeps, 'send' | 'read'>, BackgroundSweepDeps {
  /** Makes and records one attempt; rejects if that was impossible, and the next sweep retries. */
  attempt: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** Like `read` of the lanes, but may reject. */
  read?: (lane: string, limit: number) => Promise<Delivery[]>;
  database: Database;
}

/**
 * Sends the deliveries in stored rows at least once, across restarts of the daemon. Its in-memory state can be lost:
 * the start and a periodic sweep rebuild it page by page.
 */
export class Deliverer {
  readonly lanes: DeliveryLanes;
  readonly #deps: DelivererDeps;
  readonly #sweep: BackgroundSweep;

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#sweep = new BackgroundSweep(deps);
    const { read, perLane, now, setTimer } = deps;
    this.lanes = new DeliveryLanes({
      send: (id, context) => this.#send(id, context),
      ...(read && {
        read: (lane, limit) => read(lane, limit).catch((error: unknown) => this.#sweep.logUnexpected(error)),
      }),
      perLane,
      now,
      setTimer,
    });
  }

  get isStopped(): boolean {
    return this.#sweep.isStopped;
  }

  /** Resumes the deliveries of an earlier process in the background. */
  start(): void {
    this.#sweep.start(() => this.lanes.complete());
  }

  /** Aborts requests in progress; the next start sends them again. */
  async stop(): Promise<void> {
    await this.#sweep.stop();
    await this.lanes.stop(new AppError('unavailable', 'svc is stopping. Try again later.'));
  }

  /** Makes one attempt now; resolves when it is recorded, and rejects if none could be made. */
  async sendNow(delivery: Delivery): Promise<void> {
    const { failure } = await this.lanes.sendNow(delivery);
    if (failure !== undefined) throw failure;
  }

  /** Runs work that the next sweep retries if it fails. */
  work(work: () => Promise<unknown>): void {
    this.#sweep.runInBackground(work);
  }

  /** Retries until stored, because a delivery that is not recorded would be sent again. */
  record<T>(signal: AbortSignal, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return untilStored(signal, () => this.#deps.database.write(work));
  }

  async #send(id: string, context: SendContext): Promise<AttemptOutcome> {
    try {
      return await this.#deps.attempt(id, context);
    } catch (failure) {
      const { signal } = context;
      if (signal.aborted) return { failure: signal.reason };
      this.#deps.log.warn({ deliveryId: id, reason: messageOf(failure) }, 'a delivery is delayed');
      return { isHeld: true, failure };
    }
  }
}
