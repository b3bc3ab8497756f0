import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Delivery } from './delivery-lane.ts';
import {
  type AttemptOutcome,
  DeliveryLanes,
  type DeliveryLanesParts,
  type SendContext,
} from './delivery-lanes.ts';

const SWEEP_EVERY_MS = 15_000;
const STORE_AGAIN_MS = 1000;

export interface DelivererParts extends Omit<DeliveryLanesParts, 'send' | 'read'> {
  /** Takes up a page of what is open; answers whether there is more. */
  takeUp: () => Promise<boolean>;
  /** Makes one attempt and records it; rejects where none could be made, and the next sweep finds it again. */
  attempt: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** As that of the lanes; may reject. */
  read?: (lane: string, limit: number) => Promise<Delivery[]>;
  database: Database;
  log: Log;
}

/**
 * Sends what rows say has to be sent, at least once, however often the daemon stops meanwhile. What it knows beside the
 * rows it may forget: it is taken up again at the start and, a page at a time, by a sweep.
 */
export class Deliverer {
  readonly lanes: DeliveryLanes;
  readonly #parts: DelivererParts;
  readonly #working = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const { read, perLane, now, setTimer } = parts;
    this.lanes = new DeliveryLanes({
      send: (id, context) => this.#send(id, context),
      ...(read && {
        read: (lane, limit) => read(lane, limit).catch((error: unknown) => this.#complain(error)),
      }),
      perLane,
      now,
      setTimer,
    });
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Takes up what an earlier process left; returns at once. */
  start(): void {
    this.work(async () => {
      while (!this.#isStopped && (await this.#parts.takeUp())) await breathe();
      this.lanes.complete();
    });
    this.#timer = setInterval(() => this.work(this.#parts.takeUp), SWEEP_EVERY_MS).unref();
  }

  /** Breaks off what is being sent; it is sent again at the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#working);
    await this.lanes.stop(new AppError('unavailable', 'svc is stopping. Try again later.'));
  }

  /** Makes one attempt now; resolves when it is recorded, and rejects where none could be made. */
  async sendNow(delivery: Delivery): Promise<void> {
    const { failure } = await this.lanes.sendNow(delivery);
    if (failure !== undefined) throw failure;
  }

  /** Does something that the next sweep does again where it fails. */
  work(work: () => Promise<unknown>): void {
    if (this.#isStopped) return;
    const done = work()
      .catch((error: unknown) => this.#complain(error))
      .then(() => void this.#working.delete(done));
    this.#working.add(done);
  }

  /** What was sent is sent again where it cannot be stored, so it is stored until the disk takes it. */
  async record<T>(signal: AbortSignal, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#parts.database.write(work);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        await delay(STORE_AGAIN_MS, undefined, { signal });
      }
    }
  }

  async #send(id: string, context: SendContext): Promise<AttemptOutcome> {
    try {
      return await this.#parts.attempt(id, context);
    } catch (failure) {
      const { signal } = context;
      if (signal.aborted) return { failure: signal.reason };
      this.#parts.log.warn({ deliveryId: id, reason: messageOf(failure) }, 'a delivery waits');
      return { isHeld: true, failure };
    }
  }

  #complain(error: unknown): undefined {
    if (!(error instanceof AppError)) this.#parts.log.error({ err: error }, 'this is a bug in svc');
  }
}
