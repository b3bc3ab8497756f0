import { type Delivery, DeliveryLane } from './delivery-lane.ts';

/** Who keeps a place for longer than this counts as slow. */
const SLOW_MS = 1000;
/**
 * Places for attempts: for receivers that were prompt the last time, for those of which nothing is known, and for those
 * that were slow. A receiver that never answers keeps one of the first two for a second and no longer, so that also many
 * of them hold up the others by little.
 */
const PLACES = { prompt: 128, untried: 256, slow: 64 };
/** No more than these are moved to the slow ones. */
const MAX_SLOW = 1024;
/** The clock may be set meanwhile: it is looked at again after this. */
const MAX_TIMER_MS = 60_000;
/** Where what waits is kept elsewhere too, a lane holds this many. */
const LANE_ROOM = 200;
const MAX_REMEMBERED = 10_000;

/** What came of an attempt. */
export interface AttemptOutcome {
  /** How long the receiver took; undefined where it was not asked. */
  durationMs?: number;
  /** When another attempt follows. */
  again?: Pick<Delivery, 'attempts' | 'dueAt' | 'waitMs'>;
  /** True when nothing more is to be sent to the receiver, until what waits for it is read again. */
  isHeld?: boolean;
  /** Why no attempt could be made. */
  failure?: unknown;
}

export interface SendContext {
  signal: AbortSignal;
  /** True when a person asked for it, whatever the state of the receiver. */
  isByHand: boolean;
}

export interface DeliveryLanesDeps {
  /** Makes one attempt and stores what came of it; an aborted one is as if it had not been. Never rejects. */
  send: (id: string, context: SendContext) => Promise<AttemptOutcome>;
  /** How many to one receiver at the same time. */
  perLane: number;
  /** Reads what waits for a receiver, the earliest first; undefined when it cannot be read now. Without it, lanes hold all. */
  read?: (lane: string, limit: number) => Promise<Delivery[] | undefined>;
  now: () => Date;
  setTimer?: ((run: () => void, ms: number) => NodeJS.Timeout) | undefined;
}

type Pace = keyof typeof PLACES;
type Lane = DeliveryLane<Promise<AttemptOutcome>>;
/** Something that has a place since then. */
interface Place {
  since: number;
}

const paces = ['slow', 'untried', 'prompt'] as const satisfies Pace[];
const eachPace = <T>(make: () => T): Record<Pace, T> => ({ slow: make(), untried: make(), prompt: make() });
const paceOf = ({ isSlow }: Lane): Pace => (isSlow === undefined ? 'untried' : isSlow ? 'slow' : 'prompt');

/**
 * Sends what is due, each receiver in a lane of its own, so that a slow one holds up no other. Within a lane it goes by
 * the time at which each is due: in order, except that one that failed does not hold up the next.
 */
export class DeliveryLanes {
  readonly #deps: DeliveryLanesDeps;
  readonly #lanes = new Map<string, Lane>();
  /** Of lanes that are gone, whether they were slow. */
  readonly #remembered = new Map<string, boolean>();
  /** Lanes with something that is due now, in turn. */
  readonly #ready = eachPace(() => new Set<Lane>());
  /** The oldest first. */
  readonly #taken = eachPace(() => new Set<Place>());
  readonly #filling = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #nextDue = Number.POSITIVE_INFINITY;
  #lastPass = 0;
  #isComplete = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: DeliveryLanesDeps) {
    this.#deps = deps;
  }

  /** Takes a delivery until it is done; one that it has already is not taken twice. */
  add(delivery: Delivery): void {
    if (this.#isStopped) return;
    if (this.#deps.read && !this.#isComplete && !this.#lanes.has(delivery.lane)) {
      this.reload(delivery.lane);
      return;
    }
    const lane = this.#laneOf(delivery.lane);
    lane.put(delivery, this.#now());
    this.#consider(lane);
    this.#wake();
  }

  /** Everything that was open before has been taken up: what is added from now on comes after it. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Reads what waits for a receiver of which nothing waits here. */
  takeUp(key: string): void {
    const known = this.#lanes.get(key);
    if (known?.next || known?.isFilling) return;
    this.reload(key);
  }

  /** Forgets what waits for a receiver and reads it anew. */
  reload(key: string): void {
    if (this.#isStopped) return;
    const lane = this.#laneOf(key);
    lane.restart();
    this.#consider(lane);
  }

  /** Makes an attempt at once, whatever else waits; resolves when it is recorded. One that is under way is that attempt. */
  async sendNow(delivery: Delivery): Promise<AttemptOutcome> {
    const outcome = await this.#lanes.get(delivery.lane)?.underway.get(delivery.id);
    if (outcome?.durationMs !== undefined) return outcome;
    this.#stopping.signal.throwIfAborted();
    const lane = this.#laneOf(delivery.lane);
    lane.remove(delivery.id);
    return this.#start(lane, delivery, true);
  }

  /** Breaks off what is under way, and sends no more. */
  async stop(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    clearTimeout(this.#timer);
    const sending = [...this.#lanes.values()].flatMap((lane) => [...lane.underway.values()]);
    await Promise.all([...sending, ...this.#filling]);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  readonly #now = () => this.#deps.now().getTime();

  #laneOf(key: string): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new DeliveryLane(key, this.#deps.read ? LANE_ROOM : Number.POSITIVE_INFINITY);
      lane.isSlow = this.#remembered.get(key);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Something about the lane has changed: it is put where it belongs. */
  #consider(lane: Lane, now = this.#now()): void {
    const { next } = lane;
    if (!next) {
      if (lane.hasMore && !lane.isFilling) this.#fill(lane);
      // One that is gone already must not take the one after it along.
      else if (lane.isIdle && this.#lanes.get(lane.key) === lane) this.#lanes.delete(lane.key);
    } else if (next.dueAt > now) {
      this.#nextDue = Math.min(this.#nextDue, next.dueAt);
    } else if (this.#mayStart(lane, now)) {
      const ready = this.#ready[paceOf(lane)];
      for (const other of Object.values(this.#ready)) if (other !== ready) other.delete(lane);
      ready.add(lane);
    }
  }

  /** While it is being filled, what is here may not be the first. */
  #mayStart({ next, underway, isFilling }: Lane, now: number): boolean {
    return next !== undefined && next.dueAt <= now && !isFilling && underway.size < this.#deps.perLane;
  }

  /** Starts what may start now, in turn from each lane, and sets the timer for what is next. */
  readonly #pass = (): void => {
    this.#isWoken = false;
    if (this.#isStopped) return;
    const now = this.#now();
    const wasSetBack = now < this.#lastPass;
    this.#lastPass = now;
    if (wasSetBack) for (const lane of this.#lanes.values()) lane.bringForward(now);
    if (wasSetBack || now >= this.#nextDue) {
      this.#nextDue = Number.POSITIVE_INFINITY;
      for (const lane of this.#lanes.values()) this.#consider(lane, now);
    }
    this.#moveSlow(now);
    for (const pace of paces)
      for (const lane of this.#ready[pace]) {
        if (this.#taken[pace].size >= PLACES[pace]) break;
        // Comes to the end of the row if more of it is due: the loop comes to it again after all others.
        this.#ready[pace].delete(lane);
        const delivery = this.#mayStart(lane, now) && lane.shift();
        if (delivery) void this.#start(lane, delivery);
        this.#consider(lane, now);
      }
    if (!this.#isWoken) this.#setTimer(this.#nextWake() - now);
  };

  /** Who has been there for long makes room for others who may be prompt. */
  #moveSlow(now: number): void {
    const { slow, ...others } = this.#taken;
    for (const taken of Object.values(others))
      for (const place of taken) {
        if (now - place.since < SLOW_MS || slow.size >= MAX_SLOW) break;
        taken.delete(place);
        slow.add(place);
      }
  }

  /** Where there is no room, the end of an attempt leads to the next pass, or that one turns out to be slow. */
  #nextWake(): number {
    let next = this.#nextDue;
    if (this.#taken.slow.size >= MAX_SLOW) return next;
    for (const pace of ['prompt', 'untried'] as const) {
      const [oldest] = this.#ready[pace].size > 0 ? this.#taken[pace] : [];
      if (oldest) next = Math.min(next, oldest.since + SLOW_MS);
    }
    return next;
  }

  #start(lane: Lane, delivery: Delivery, isByHand = false): Promise<AttemptOutcome> {
    const place = { since: this.#now() };
    const { version } = lane;
    this.#taken[paceOf(lane)].add(place);
    const sent = this.#deps.send(delivery.id, { signal: this.#stopping.signal, isByHand }).then((outcome) => {
      for (const taken of Object.values(this.#taken)) taken.delete(place);
      lane.underway.delete(delivery.id);
      if (outcome.isHeld && lane.version !== version) this.reload(lane.key);
      else this.#end(lane, delivery, outcome);
      return outcome;
    });
    lane.underway.set(delivery.id, sent);
    return sent;
  }

  #end(lane: Lane, delivery: Delivery, { durationMs, again, isHeld }: AttemptOutcome): void {
    if (this.#isStopped) return;
    if (durationMs !== undefined) this.#learn(lane, durationMs >= SLOW_MS);
    if (isHeld) lane.clear();
    else if (again) lane.put({ ...delivery, ...again }, this.#now());
    this.#consider(lane);
    this.#pass();
  }

  #learn(lane: Lane, isSlow: boolean): void {
    lane.isSlow = isSlow;
    this.#remembered.delete(lane.key);
    this.#remembered.set(lane.key, isSlow);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }

  #fill(lane: Lane): void {
    if (!this.#deps.read) return;
    // Those under way are among them.
    const limit = LANE_ROOM + lane.underway.size;
    lane.isFilling = true;
    lane.hasMore = false;
    const { version } = lane;
    const filled = this.#deps.read(lane.key, limit).then((page) => {
      this.#filling.delete(filled);
      lane.isFilling = false;
      if (this.#isStopped) return;
      if (lane.version !== version) return this.reload(lane.key);
      if (page) lane.fill(page, page.length < limit, this.#now());
      else lane.hasMore = true;
      // Where that gave nothing to send, whoever asks again reads again: the end of an attempt, or the next sweep.
      if (lane.next || !lane.hasMore) this.#consider(lane);
      this.#wake();
    });
    this.#filling.add(filled);
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
