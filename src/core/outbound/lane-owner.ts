import type { Leases } from '../leases.ts';
import { AppError, messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { Delivery } from '../delivery.ts';

/** What a daemon needs to share lanes with the others of its cluster. */
export interface LanePeers {
  leases: Leases;
  bus: EventBus;
  daemonId: string;
  /** For the end of other daemons' leases. */
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

export interface LaneOwnerDeps extends LanePeers {
  /** Which lanes these are, such as `webhooks`. */
  kind: string;
  log: Log;
  /** Whether there is nothing to do in the lane. */
  isIdle: (lane: string) => boolean;
  /** The lane is this daemon's, or others may have added to it: what is stored has to be read. */
  onChange: (lane: string) => void;
  /** Another daemon has stored a delivery for a lane of this one. */
  onDelivery: (delivery: Delivery) => void;
  /** The lane is not this daemon's any more. */
  onEnd: (lane: string) => void;
}

interface Elsewhere {
  owner: string;
  /** Whether there was anything to do in the lane since its owner was read. */
  hasMore: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Divides the lanes between the daemons of a cluster: a lane belongs to the first one that has something to send, until it is
 * empty. The others leave their deliveries in the rows and tell the owner, who is replaced when its lease ends.
 */
export class LaneOwner {
  readonly #deps: LaneOwnerDeps;
  readonly #owned = new Set<string>();
  readonly #elsewhere = new Map<string, Elsewhere>();
  readonly #taking = new Map<string, Promise<void>>();
  readonly #subscriptions: (() => void)[];
  #isStopped = false;

  constructor(deps: LaneOwnerDeps) {
    this.#deps = deps;
    const { bus, kind, daemonId } = deps;
    this.#subscriptions = [
      bus.on('delivery_waiting', (hint) => {
        if (hint.kind !== kind || hint.owner !== daemonId || this.#isStopped) return;
        if (!this.owns(hint.lane)) this.claim(hint.lane);
        else if (hint.delivery) deps.onDelivery(hint.delivery);
        else deps.onChange(hint.lane);
      }),
      bus.onGap(() => {
        for (const lane of this.#owned) deps.onChange(lane);
      }),
    ];
  }

  /** Whether this daemon may start to send to the lane. */
  owns(lane: string): boolean {
    return this.#deps.leases.holds(this.#nameOf(lane));
  }

  /** Takes a lane in which something may be waiting, or tells its owner. */
  claim(lane: string, delivery?: Delivery): void {
    if (this.#isStopped) return;
    const elsewhere = this.#elsewhere.get(lane);
    if (elsewhere) {
      elsewhere.hasMore = true;
      this.#tell(elsewhere.owner, lane, delivery);
    } else if (!this.#taking.has(lane)) {
      const taking = this.#take(lane)
        .catch((error: unknown) => {
          const { log } = this.#deps;
          // The next sweep finds the rows.
          if (error instanceof AppError)
            log.warn({ lane, reason: messageOf(error) }, 'deliveries are delayed');
          else log.error({ err: error }, 'this is a bug in svc');
        })
        .finally(() => this.#taking.delete(lane));
      this.#taking.set(lane, taking);
    }
  }

  /** Takes no more lanes; those that it has stay until its leases are released. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    for (const { timer } of this.#elsewhere.values()) clearTimeout(timer);
    await Promise.all(this.#taking.values());
  }

  async #take(lane: string): Promise<void> {
    const { leases, isIdle, onChange, onEnd, setTimer = unrefTimer } = this.#deps;
    const answer = await leases.take(this.#nameOf(lane), {
      isIdle: () => isIdle(lane),
      onEnd: () => {
        this.#owned.delete(lane);
        onEnd(lane);
      },
    });
    if (this.#isStopped) return;
    if (answer.isMine) {
      this.#owned.add(lane);
      onChange(lane);
      return;
    }
    const { owner, leftMs } = answer;
    const timer = setTimer(() => this.#askAgain(lane), leftMs + 1);
    this.#elsewhere.set(lane, { owner, hasMore: false, timer });
    // Also of what was stored while the row was read.
    this.#tell(owner, lane);
  }

  #askAgain(lane: string): void {
    const hasMore = this.#elsewhere.get(lane)?.hasMore;
    this.#elsewhere.delete(lane);
    if (hasMore) this.claim(lane);
  }

  #tell(owner: string, lane: string, delivery?: Delivery): void {
    const { bus, kind } = this.#deps;
    bus.emit('delivery_waiting', { kind, owner, lane, ...(delivery && { delivery }) });
  }

  #nameOf(lane: string): string {
    return `${this.#deps.kind} ${lane}`;
  }
}

const unrefTimer = (run: () => void, ms: number) => setTimeout(run, ms).unref();
