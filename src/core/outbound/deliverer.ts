import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { BackgroundSweep, type BackgroundSweepDeps } from '../async/background-sweep.ts';
import { LEASED_WORK_MS } from '../leases.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { untilStored } from '../storage/until-stored.ts';
import type { Delivery } from '../delivery.ts';
import {
  type AttemptOutcome,
  DeliveryLanes,
  type DeliveryLanesDeps,
  type SendContext,
} from './delivery-lanes.ts';
import { LaneOwner, type LanePeers } from './lane-owner.ts';

export interface DelivererDeps
  extends Omit<DeliveryLanesDeps, 'send' | 'read' | 'owns'>, BackgroundSweepDeps {
  /** Names its lanes among those of the cluster. */
  kind: string;
  /** Makes and records one attempt; rejects if that was impossible, and the next sweep retries. */
  attempt: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** Like `read` of the lanes, but may reject. */
  read?: (lane: string, limit: number) => Promise<Delivery[]>;
  database: Database;
  /** In a cluster. */
  peers?: LanePeers | undefined;
}

/**
 * Sends the deliveries in stored rows at least once, across restarts of the daemon. Its in-memory state can be lost:
 * the start and a periodic sweep rebuild it page by page. In a cluster, each lane belongs to one daemon at a time.
 */
export class Deliverer {
  readonly #deps: DelivererDeps;
  readonly #lanes: DeliveryLanes;
  readonly #sweep: BackgroundSweep;
  readonly #owner: LaneOwner | undefined;

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#sweep = new BackgroundSweep(deps);
    const { read, perLane, now, setTimer, peers, kind, log } = deps;
    const owner = peers
      ? new LaneOwner({
          ...peers,
          kind,
          log,
          isIdle: (lane) => this.#lanes.isIdle(lane),
          onChange: (lane) => this.#refresh(lane),
          onDelivery: (delivery) => this.#lanes.add(delivery),
          onEnd: (lane) => this.#lanes.drop(lane),
        })
      : undefined;
    this.#owner = owner;
    this.#lanes = new DeliveryLanes({
      send: (id, context) => this.#send(id, context),
      ...(read && {
        read: (lane, limit) => read(lane, limit).catch((error: unknown) => this.#sweep.logUnexpected(error)),
      }),
      ...(owner && { owns: (lane) => owner.owns(lane) }),
      perLane,
      now,
      setTimer,
    });
  }

  get isStopped(): boolean {
    return this.#sweep.isStopped;
  }

  /**
   * How long a delivery that a person sends by hand has to be stored as not due, in milliseconds: another daemon may own its
   * lane. 0 where there is none.
   */
  get handTimeMs(): number {
    return this.#owner ? LEASED_WORK_MS : 0;
  }

  /** Resumes the deliveries of an earlier process in the background. */
  start(): void {
    this.#sweep.start(() => this.#lanes.complete());
  }

  /** Aborts requests in progress; the next start sends them again. */
  async stop(): Promise<void> {
    await this.#owner?.stop();
    await this.#sweep.stop();
    await this.#lanes.stop(new AppError('unavailable', 'svc is stopping. Try again later.'));
  }

  /** Queues a delivery that is stored. */
  add(delivery: Delivery): void {
    if (!this.#owner || this.#owner.owns(delivery.lane)) this.#lanes.add(delivery);
    else this.#owner.claim(delivery.lane, delivery);
  }

  /** Sends what is stored for a receiver, if that is not under way: for sweeps. */
  resume(lane: string): void {
    if (!this.#owner) this.#lanes.loadIfEmpty(lane);
    // Another daemon may have added to it unheard.
    else this.reload(lane);
  }

  /** Reads again what is stored for a receiver. */
  reload(lane: string): void {
    if (!this.#owner || this.#owner.owns(lane)) this.#lanes.reload(lane);
    else this.#owner.claim(lane);
  }

  /** Makes one attempt now; resolves when it is recorded, and rejects if none could be made. */
  async sendNow(delivery: Delivery): Promise<void> {
    const { failure } = await this.#lanes.sendNow(delivery);
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

  /** Without `read`, a sweep finds all that is stored. */
  #refresh(lane: string): void {
    if (this.#deps.read) this.#lanes.reload(lane);
    else
      this.work(async () => {
        while (!this.isStopped && (await this.#deps.processPage())) await yieldToEventLoop();
      });
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
