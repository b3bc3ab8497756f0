import type { EventBus } from '../events.ts';

/** How soon the others hear that a pool has free slots or none, so that a busy pool does not tell of each task. */
const TELL_AFTER_MS = 5;
const REPEAT_EVERY_MS = 1000;
/** How long what a daemon said is believed. */
const FORGOTTEN_MS = 3 * REPEAT_EVERY_MS;
/** Ids that go to other daemons at once. */
const MAX_GIVEN = 100;

export interface SharedCapacityDeps {
  bus: EventBus;
  daemonId: string;
  /** The ids of the other daemons that run tasks. */
  others: () => readonly string[];
  /** Milliseconds that never jump. */
  monotonic: () => number;
}

interface Known {
  /** What is left of the free slots that it had. */
  free: number;
  /** Whether it said that work waits for slots. */
  isFull: boolean;
  /** When this is forgotten. */
  until: number;
}

/** The pools of this daemon. */
export interface OwnPools {
  names(): readonly string[];
  slots(pool: string): number;
  /** Slots that new work would get at once; 0 where anything waits. */
  free(pool: string): number;
  waiting(pool: string): number;
  /** Gives so much waiting work to the other daemons. */
  give(pool: string, count: number): void;
}

/**
 * What the daemons of a cluster tell each other of their free slots: as much work travels as the others have slots for,
 * the rest waits where it came, and a daemon that gets free slots is given some of what waits elsewhere. One that has not
 * said anything for seconds is taken to have as many free slots as this daemon has slots.
 */
export class SharedCapacity {
  readonly #deps: SharedCapacityDeps;
  readonly #own: OwnPools;
  /** The free slots of other daemons as far as this one knows, by pool and daemon. */
  readonly #known = new Map<string, Map<string, Known>>();
  /** The pools of this daemon of which the others know that they are full. */
  readonly #toldFull = new Set<string>();
  readonly #changed = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  #telling: NodeJS.Timeout | undefined;
  #repeating: NodeJS.Timeout | undefined;

  constructor(deps: SharedCapacityDeps, own: OwnPools) {
    this.#deps = deps;
    this.#own = own;
  }

  start(): void {
    this.#unsubscribe = this.#deps.bus.onRemote('capacity_changed', (told) => this.#heard(told));
    this.#repeating = setInterval(() => {
      for (const pool of this.#own.names()) this.#tell(pool, true);
    }, REPEAT_EVERY_MS).unref();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#telling);
    clearInterval(this.#repeating);
  }

  /** Whether another daemon may have a free slot in the pool for work that it is now offered. */
  offer(pool: string): boolean {
    const others = this.#deps.others();
    const free = others.map((id) => this.#knownOf(pool, id)).find((each) => each.free > 0);
    if (free) free.free--;
    // Until the others are known, there may be any.
    return free !== undefined || others.length === 0;
  }

  /** To be called when work has come to a pool of this daemon or has left it. */
  change(pool: string): void {
    if (!this.#unsubscribe) return;
    this.#changed.add(pool);
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      for (const each of this.#changed) this.#tell(each, false);
      this.#changed.clear();
    }, TELL_AFTER_MS).unref();
  }

  #tell(pool: string, isRepeated: boolean): void {
    const free = this.#own.free(pool);
    const isNew = (free === 0) !== this.#toldFull.has(pool);
    // Free slots are of interest to those who have none.
    const isOfUse =
      free === 0 ? isRepeated : this.#deps.others().some((id) => this.#knownOf(pool, id).isFull);
    if (!isNew && !isOfUse) return;
    if (free === 0) this.#toldFull.add(pool);
    else this.#toldFull.delete(pool);
    this.#deps.bus.emit('capacity_changed', { daemonId: this.#deps.daemonId, pool, free });
  }

  #heard({ daemonId, pool, free }: { daemonId: string; pool: string; free: number }): void {
    this.#know(pool, daemonId, free, free === 0);
    if (free === 0) return;
    const waiting = this.#own.waiting(pool);
    if (waiting === 0) return;
    const share = Math.ceil(waiting / (this.#deps.others().length + 1));
    this.#own.give(pool, Math.min(Math.max(free, share), waiting, MAX_GIVEN));
  }

  #knownOf(pool: string, daemonId: string): Known {
    const known = this.#known.get(pool)?.get(daemonId);
    if (known && known.until > this.#deps.monotonic()) return known;
    return this.#know(pool, daemonId, this.#own.slots(pool), false);
  }

  #know(pool: string, daemonId: string, free: number, isFull: boolean): Known {
    const known = { free, isFull, until: this.#deps.monotonic() + FORGOTTEN_MS };
    const daemons = this.#known.get(pool) ?? new Map<string, Known>();
    this.#known.set(pool, daemons.set(daemonId, known));
    return known;
  }
}
