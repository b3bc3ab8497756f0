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
  /** Makes one attempt and records it; rejects where none could be made, and the next sweep finds it again. */
  attempt: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** As that of the lanes; may reject. */
  read?: (lane: string, limit: number) => Promise<Delivery[]>;
  database: Database;
}

/**
 * Sends what rows say has to be sent, at least once, however often the daemon stops meanwhile. What it knows beside the
 * rows it may forget: it is taken up again at the start and, a page at a time, by a sweep.
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

  /** Takes up what an earlier process left; returns at once. */
  start(): void {
    this.#sweep.start(() => this.lanes.complete());
  }

  /** Breaks off what is being sent; it is sent again at the next start. */
  async stop(): Promise<void> {
    await this.#sweep.stop();
    await this.lanes.stop(new AppError('unavailable', 'svc is stopping. Try again later.'));
  }

  /** Makes one attempt now; resolves when it is recorded, and rejects where none could be made. */
  async sendNow(delivery: Delivery): Promise<void> {
    const { failure } = await this.lanes.sendNow(delivery);
    if (failure !== undefined) throw failure;
  }

  /** Does something that the next sweep does again where it fails. */
  work(work: () => Promise<unknown>): void {
    this.#sweep.runInBackground(work);
  }

  /** What was sent is sent again where it cannot be stored, so it is stored until the disk takes it. */
  record<T>(signal: AbortSignal, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return untilStored(signal, () => this.#deps.database.write(work));
  }

  async #send(id: string, context: SendContext): Promise<AttemptOutcome> {
    try {
      return await this.#deps.attempt(id, context);
    } catch (failure) {
      const { signal } = context;
      if (signal.aborted) return { failure: signal.reason };
      this.#deps.log.warn({ deliveryId: id, reason: messageOf(failure) }, 'a delivery waits');
      return { isHeld: true, failure };
    }
  }
}
