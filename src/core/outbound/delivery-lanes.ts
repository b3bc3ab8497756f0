import { longestDelayAfter } from './delivery-schedule.ts';

/** At the same time: to all receivers, to one, and to all of those that failed lately. */
const MAX_AT_ONCE = 10;
const MAX_PER_RECEIVER = 2;
const MAX_TO_TROUBLED = 5;
/** The clock may be set meanwhile: it is looked at again after this. */
const MAX_TIMER_MS = 60_000;

/** Something that has to be sent to a URL. */
export interface Delivery {
  id: string;
  url: string;
  /** How often it has failed. */
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
}
/** What came of an attempt; `again` where another follows. */
export interface AttemptOutcome {
  isTrouble: boolean;
  again?: Pick<Delivery, 'attempts' | 'dueAt'>;
}

export interface DeliveryLanesParts {
  /** Makes one attempt and stores what came of it; an aborted one is as if it had not been. Never rejects. */
  send: (id: string, signal: AbortSignal) => Promise<AttemptOutcome>;
  now: () => Date;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

interface Lane {
  waiting: Delivery[];
  isSorted: boolean;
  active: number;
  isTroubled: boolean;
}

/** Sends what is due, each receiver in a lane of its own, so that a slow one holds up no other. */
export class DeliveryLanes {
  readonly #parts: Required<DeliveryLanesParts>;
  readonly #lanes = new Map<string, Lane>();
  readonly #known = new Set<string>();
  readonly #sending = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #activeTroubled = 0;
  #lastPass = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveryLanesParts) {
    this.#parts = { setTimer: (run, ms) => setTimeout(run, ms).unref(), ...parts };
  }

  /** Takes a delivery until it is done; one that it has already is not taken twice. A time too far away was set by another clock. */
  add(delivery: Delivery): void {
    if (this.#known.has(delivery.id) || this.#stopping.signal.aborted) return;
    this.#known.add(delivery.id);
    const latest = this.#parts.now().getTime() + longestDelayAfter(delivery.attempts);
    this.#put({ ...delivery, dueAt: Math.min(delivery.dueAt, latest) });
    this.#wakeIn(0);
  }

  /** Breaks off what is under way, and sends no more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The daemon stops'));
    clearTimeout(this.#timer);
    await Promise.all(this.#sending);
  }

  #put(delivery: Delivery): void {
    const receiver = new URL(delivery.url).origin;
    let lane = this.#lanes.get(receiver);
    if (!lane)
      this.#lanes.set(receiver, (lane = { waiting: [], isSorted: true, active: 0, isTroubled: false }));
    if (delivery.attempts > 0) lane.isTroubled = true;
    if (delivery.dueAt < (lane.waiting.at(-1)?.dueAt ?? 0)) lane.isSorted = false;
    lane.waiting.push(delivery);
  }

  /** Starts what may start now, in turn from each lane, and sets the timer for what is due next. */
  #pass(): void {
    if (this.#stopping.signal.aborted) return;
    const now = this.#parts.now().getTime();
    if (now < this.#lastPass) this.#bringForward(now);
    this.#lastPass = now;
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [receiver, lane] of this.#lanes) {
      const [first] = inOrder(lane);
      if (!first && lane.active === 0) this.#lanes.delete(receiver);
      // Where there is no room, the end of an attempt leads here again.
      if (!first || !this.#hasRoom(lane)) continue;
      if (first.dueAt > now) {
        nextAt = Math.min(nextAt, first.dueAt);
        continue;
      }
      lane.waiting.shift();
      // To the end of the row: the loop comes to it again after all others.
      this.#lanes.delete(receiver);
      this.#lanes.set(receiver, lane);
      this.#send(lane, first);
    }
    if (nextAt < Number.POSITIVE_INFINITY) this.#wakeIn(nextAt - now);
  }

  /** The clock was set back: nothing waits longer than the whole delay after its last attempt. */
  #bringForward(now: number): void {
    for (const lane of this.#lanes.values()) {
      lane.isSorted = false;
      for (const delivery of lane.waiting)
        delivery.dueAt = Math.min(delivery.dueAt, now + longestDelayAfter(delivery.attempts));
    }
  }

  #hasRoom(lane: Lane): boolean {
    return (
      this.#sending.size < MAX_AT_ONCE &&
      lane.active < MAX_PER_RECEIVER &&
      !(lane.isTroubled && this.#activeTroubled >= MAX_TO_TROUBLED)
    );
  }

  #send(lane: Lane, delivery: Delivery): void {
    const wasTroubled = lane.isTroubled;
    lane.active++;
    if (wasTroubled) this.#activeTroubled++;
    const sent = this.#parts.send(delivery.id, this.#stopping.signal).then(({ isTrouble, again }) => {
      this.#sending.delete(sent);
      lane.active--;
      if (wasTroubled) this.#activeTroubled--;
      lane.isTroubled = isTrouble;
      if (again) this.#put({ ...delivery, ...again });
      else this.#known.delete(delivery.id);
      this.#pass();
    });
    this.#sending.add(sent);
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#parts.setTimer(() => this.#pass(), Math.min(ms, MAX_TIMER_MS));
  }
}

/** What waits, the next one first. */
function inOrder(lane: Lane): Delivery[] {
  if (!lane.isSorted) lane.waiting.sort((a, b) => a.dueAt - b.dueAt);
  lane.isSorted = true;
  return lane.waiting;
}
