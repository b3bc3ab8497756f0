import type { Delivery } from '../delivery.ts';
import { DeliveryLane } from './delivery-lane.ts';

/** A receiver that occupies a slot for longer than this counts as slow. */
const SLOW_MS = 1000;
/**
 * Slots for receivers that were prompt last time, that are untried, that were slow, and that did not answer at all. A
 * receiver that never responds occupies a prompt or untried slot for at most one second, and from then on only slots of
 * its like, so that even many of them delay the others only a little.
 */
const SLOTS = { prompt: 128, untried: 256, slow: 64, silent: 64 };
/** Concurrent attempts at a receiver of which nothing is known yet, and at one that does not answer. */
const UNTRIED_WIDTH = 2;
const SILENT_WIDTH = 1;
/** The maximum number of slow attempts, including those moved from other slots. */
const MAX_SLOW = 1024;
/** The clock may change, so the time is checked at least this often. */
const MAX_TIMER_MS = 60_000;
/** The capacity of a lane whose deliveries are also stored elsewhere. */
const LANE_CAPACITY = 200;
const MAX_REMEMBERED = 10_000;

/** The result of an attempt. */
export interface AttemptOutcome {
  /** How long the receiver took; undefined without a request. */
  durationMs?: number;
  /** False where the receiver did not answer. */
  hasAnswered?: boolean;
  /** The next attempt, if any. */
  retry?: Pick<Delivery, 'attempts' | 'dueAt' | 'waitMs'>;
  /** Whether sending to the receiver stops until its deliveries are reloaded. */
  isHeld?: boolean;
  /** Why no attempt could be made. */
  failure?: unknown;
}

export interface SendContext {
  signal: AbortSignal;
  /** Whether a user requested the attempt, regardless of the receiver's state. */
  isManual: boolean;
}

export interface DeliveryLanesDeps {
  /** Makes one attempt and stores the result; an aborted attempt leaves no trace. Never rejects. */
  send: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** Concurrent attempts per receiver that answers. */
  perLane: number;
  /** Loads a receiver's pending deliveries, earliest first; undefined if that fails. Without it, lanes hold all deliveries. */
  read?: (lane: string, limit: number) => Promise<Delivery[] | undefined>;
  /** Whether this daemon may start to send to the receiver; without it, it always may. */
  owns?: (lane: string) => boolean;
  now: () => Date;
  setTimer?: ((run: () => void, ms: number) => NodeJS.Timeout) | undefined;
}

type Pace = keyof typeof SLOTS;
type Lane = DeliveryLane<Promise<AttemptOutcome>>;
/** An occupied slot. */
interface Slot {
  since: number;
}

const paces = ['silent', 'slow', 'untried', 'prompt'] as const satisfies Pace[];
const eachPace = <T>(make: () => T): Record<Pace, T> => ({
  silent: make(),
  slow: make(),
  untried: make(),
  prompt: make(),
});
function paceOf({ isSlow, isSilent }: Lane): Pace {
  if (isSilent) return 'silent';
  if (isSlow === undefined) return 'untried';
  return isSlow ? 'slow' : 'prompt';
}

/**
 * Sends due deliveries with one lane per receiver, so that a slow receiver does not block others. Within a lane, deliveries
 * are sent in the order of their due times, so a failed one does not block the next.
 */
export class DeliveryLanes {
  readonly #deps: DeliveryLanesDeps;
  readonly #lanes = new Map<string, Lane>();
  /** How the receivers of removed lanes were. */
  readonly #remembered = new Map<string, { isSlow: boolean; isSilent: boolean }>();
  /** Lanes with a due delivery, in round-robin order. */
  readonly #ready = eachPace(() => new Set<Lane>());
  /** Oldest first. */
  readonly #taken = eachPace(() => new Set<Slot>());
  readonly #loading = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #nextDue = Number.POSITIVE_INFINITY;
  #lastPass = 0;
  #isComplete = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: DeliveryLanesDeps) {
    this.#deps = deps;
  }

  /** Queues a delivery; duplicates are ignored. */
  add(delivery: Delivery): void {
    if (this.#isStopped) return;
    if (this.#deps.read && !this.#isComplete && !this.#lanes.has(delivery.lane)) {
      this.reload(delivery.lane);
      return;
    }
    const lane = this.#laneOf(delivery.lane);
    lane.put(delivery, this.#now());
    this.#reschedule(lane);
    this.#wake();
  }

  /** Marks the initial load as complete: deliveries added from now on are newer. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Loads a receiver's deliveries if its lane is empty. */
  loadIfEmpty(key: string): void {
    const known = this.#lanes.get(key);
    if (known?.next || known?.isLoading) return;
    this.reload(key);
  }

  /** Discards a receiver's queued deliveries and loads them again. */
  reload(key: string): void {
    if (this.#isStopped) return;
    const lane = this.#laneOf(key);
    lane.restart();
    this.#reschedule(lane);
  }

  /** Whether nothing is known to do for a receiver. */
  isIdle(key: string): boolean {
    return !this.#lanes.has(key);
  }

  /** Discards a receiver's queued deliveries, because another daemon sends them; attempts in progress end. */
  drop(key: string): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    lane.clear();
    lane.version++;
    this.#reschedule(lane);
  }

  /** Attempts a delivery immediately, ahead of the queue; resolves when recorded. Joins an attempt in progress. */
  async sendNow(delivery: Delivery): Promise<AttemptOutcome> {
    const outcome = await this.#lanes.get(delivery.lane)?.underway.get(delivery.id);
    if (outcome?.durationMs !== undefined) return outcome;
    this.#stopping.signal.throwIfAborted();
    const lane = this.#laneOf(delivery.lane);
    lane.remove(delivery.id);
    return this.#start(lane, delivery, true);
  }

  /** Aborts attempts in progress and sends no more. */
  async stop(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    clearTimeout(this.#timer);
    const sending = [...this.#lanes.values()].flatMap((lane) => [...lane.underway.values()]);
    await Promise.all([...sending, ...this.#loading]);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  readonly #now = () => this.#deps.now().getTime();

  #laneOf(key: string): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new DeliveryLane(key, this.#deps.read ? LANE_CAPACITY : Number.POSITIVE_INFINITY);
      Object.assign(lane, this.#remembered.get(key));
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Reschedules a lane after a change. */
  #reschedule(lane: Lane, now = this.#now()): void {
    const { next } = lane;
    if (!next) {
      if (lane.hasMore && !lane.isLoading) this.#load(lane);
      // A removed lane must not delete its successor.
      else if (lane.isIdle && this.#lanes.get(lane.key) === lane) this.#lanes.delete(lane.key);
    } else if (next.dueAt > now) {
      this.#nextDue = Math.min(this.#nextDue, next.dueAt);
    } else if (this.#mayStart(lane, now)) {
      const ready = this.#ready[paceOf(lane)];
      for (const other of Object.values(this.#ready)) if (other !== ready) other.delete(lane);
      ready.add(lane);
    }
  }

  /** While a lane is loading, its first delivery is not known yet. */
  #mayStart(lane: Lane, now: number): boolean {
    if (this.#deps.owns?.(lane.key) === false) return false;
    return !lane.isLoading && lane.underway.size < this.#widthOf(lane) && lane.startable(now) !== undefined;
  }

  #widthOf(lane: Lane): number {
    const { perLane } = this.#deps;
    const widths: Partial<Record<Pace, number>> = { untried: UNTRIED_WIDTH, silent: SILENT_WIDTH };
    return Math.min(perLane, widths[paceOf(lane)] ?? perLane);
  }

  /** Starts due deliveries round-robin across lanes and sets the timer for the next one. */
  readonly #pass = (): void => {
    this.#isWoken = false;
    if (this.#isStopped) return;
    const now = this.#now();
    const wasSetBack = now < this.#lastPass;
    this.#lastPass = now;
    if (wasSetBack) for (const lane of this.#lanes.values()) lane.bringForward(now);
    if (wasSetBack || now >= this.#nextDue) {
      this.#nextDue = Number.POSITIVE_INFINITY;
      for (const lane of this.#lanes.values()) this.#reschedule(lane, now);
    }
    this.#moveSlow(now);
    for (const pace of paces)
      for (const lane of this.#ready[pace]) {
        if (this.#taken[pace].size >= SLOTS[pace]) break;
        // A lane with more due deliveries is added again at the end, and the loop reaches it after all others.
        this.#ready[pace].delete(lane);
        const delivery = this.#mayStart(lane, now) && lane.shift(now);
        if (delivery) void this.#start(lane, delivery);
        this.#reschedule(lane, now);
      }
    if (!this.#isWoken) this.#setTimer(this.#nextWake() - now);
  };

  /** Moves long attempts to slow slots to make room for others. */
  #moveSlow(now: number): void {
    const { slow, prompt, untried } = this.#taken;
    for (const taken of [prompt, untried])
      for (const slot of taken) {
        if (now - slot.since < SLOW_MS || slow.size >= MAX_SLOW) break;
        taken.delete(slot);
        slow.add(slot);
      }
  }

  /** Without a free slot, the next pass starts when an attempt finishes or turns out to be slow. */
  #nextWake(): number {
    let next = this.#nextDue;
    if (this.#taken.slow.size >= MAX_SLOW) return next;
    for (const pace of ['prompt', 'untried'] as const) {
      const [oldest] = this.#ready[pace].size > 0 ? this.#taken[pace] : [];
      if (oldest) next = Math.min(next, oldest.since + SLOW_MS);
    }
    return next;
  }

  #start(lane: Lane, delivery: Delivery, isManual = false): Promise<AttemptOutcome> {
    const slot = { since: this.#now() };
    const { version } = lane;
    this.#taken[paceOf(lane)].add(slot);
    const sent = this.#deps.send(delivery.id, { signal: this.#stopping.signal, isManual }).then((outcome) => {
      for (const taken of Object.values(this.#taken)) taken.delete(slot);
      finish();
      if (outcome.isHeld && lane.version !== version) this.reload(lane.key);
      else this.#finish(lane, delivery, outcome);
      return outcome;
    });
    const finish = lane.start(delivery, sent);
    return sent;
  }

  #finish(lane: Lane, delivery: Delivery, outcome: AttemptOutcome): void {
    const { durationMs, hasAnswered = true, retry, isHeld } = outcome;
    if (this.#isStopped) return;
    if (durationMs !== undefined) this.#recordPace(lane, durationMs >= SLOW_MS, hasAnswered);
    if (isHeld || this.#deps.owns?.(lane.key) === false) lane.clear();
    else if (retry) lane.put({ ...delivery, ...retry }, this.#now());
    this.#reschedule(lane);
    this.#pass();
  }

  #recordPace(lane: Lane, isSlow: boolean, hasAnswered: boolean): void {
    // A receiver that refuses at once delays no other.
    const pace = { isSlow, isSilent: isSlow && !hasAnswered };
    Object.assign(lane, pace);
    this.#remembered.delete(lane.key);
    this.#remembered.set(lane.key, pace);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }

  #load(lane: Lane): void {
    if (!this.#deps.read) return;
    // The page includes attempts in progress.
    const limit = LANE_CAPACITY + lane.underway.size;
    lane.isLoading = true;
    lane.hasMore = false;
    const { version } = lane;
    const loaded = this.#deps.read(lane.key, limit).then((page) => {
      this.#loading.delete(loaded);
      lane.isLoading = false;
      if (this.#isStopped) return;
      if (lane.version !== version) return this.reload(lane.key);
      if (page) lane.load(page, page.length < limit, this.#now());
      else lane.hasMore = true;
      // Without anything to send, the end of an attempt or the next sweep loads again.
      if (lane.next || !lane.hasMore) this.#reschedule(lane);
      this.#wake();
    });
    this.#loading.add(loaded);
  }

  #wake(): void {
    if (this.#isWoken || this.#isStopped) return;
    this.#isWoken = true;
    this.#setTimer(0);
  }

  #setTimer(ms: number): void {
    clearTimeout(this.#timer);
    if (ms === Number.POSITIVE_INFINITY) return;
    const { setTimer = (run, after) => setTimeout(run, after).unref() } = this.#deps;
    this.#timer = setTimer(this.#pass, Math.max(0, Math.min(ms, MAX_TIMER_MS)));
  }
}
