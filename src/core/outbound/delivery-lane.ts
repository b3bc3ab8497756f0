import { longestDelayAfter } from './delivery-schedule.ts';

/** Something that has to be sent. */
export interface Delivery {
  id: string;
  /** Whom it goes to; what goes to one receiver shares a lane. */
  lane: string;
  /** How often it has failed. */
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
  /** How long it was to wait after its last attempt, where that is not what the schedule says. */
  waitMs?: number | undefined;
}

/** Nothing waits longer than after its last attempt: a time further away was set by another clock. */
const dueBy = ({ dueAt, attempts, waitMs }: Delivery, now: number) =>
  Math.min(dueAt, now + (waitMs ?? longestDelayAfter(attempts)));

/** By the time, and in one moment by the ids, which rise. */
const inOrder = (a: Delivery, b: Delivery) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1);

/**
 * What waits for one receiver, the next one first. It holds no more than it has room for, the earliest, and knows when
 * there are others to be read once those are gone.
 */
export class DeliveryLane<Sending> {
  readonly key: string;
  readonly underway = new Map<string, Sending>();
  /** Whether it kept its place for long the last time; undefined while nothing is known. */
  isSlow: boolean | undefined;
  hasMore = false;
  isFilling = false;
  /** False while it has only what was added to it: an earlier process may have left more. */
  isRead = false;
  /** How often it was begun anew: what was found out before that counts no more. */
  version = 0;
  readonly #room: number;
  readonly #waiting: Delivery[] = [];
  readonly #ids = new Set<string>();

  constructor(key: string, room: number) {
    this.key = key;
    this.#room = room;
  }

  get next(): Delivery | undefined {
    return this.#waiting[0];
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.underway.size === 0 && !this.hasMore && !this.isFilling;
  }

  /** Takes a delivery that it does not have; one that comes after others which are yet to be read is left to be read. */
  put(given: Delivery, now: number): void {
    if (this.#ids.has(given.id) || this.underway.has(given.id)) return;
    const delivery = { ...given, dueAt: dueBy(given, now) };
    const last = this.#waiting.at(-1);
    if (this.hasMore && (!last || inOrder(last, delivery) < 0)) return;
    if (delivery.attempts > 0) this.isSlow ??= true;
    this.#waiting.splice(this.#placeOf(delivery), 0, delivery);
    this.#ids.add(delivery.id);
    if (this.#waiting.length > this.#room) this.#dropLast();
  }

  /** Takes what was read, the earliest of what there is. */
  fill(page: readonly Delivery[], isAll: boolean, now: number): void {
    for (const delivery of page) this.put(delivery, now);
    this.hasMore ||= !isAll;
    this.isRead = true;
  }

  shift(): Delivery | undefined {
    const delivery = this.#waiting.shift();
    if (delivery) this.#ids.delete(delivery.id);
    return delivery;
  }

  remove(id: string): void {
    if (!this.#ids.delete(id)) return;
    this.#waiting.splice(
      this.#waiting.findIndex((delivery) => delivery.id === id),
      1,
    );
  }

  /** Forgets what waits; all of it is to be read. */
  restart(): void {
    this.clear();
    this.hasMore = true;
    this.version++;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting.length = 0;
    this.#ids.clear();
    this.hasMore = false;
  }

  /** The clock was set back. */
  bringForward(now: number): void {
    for (const delivery of this.#waiting) delivery.dueAt = dueBy(delivery, now);
    this.#waiting.sort(inOrder);
  }

  #dropLast(): void {
    const dropped = this.#waiting.pop();
    if (dropped) this.#ids.delete(dropped.id);
    this.hasMore = true;
  }

  #placeOf(delivery: Delivery): number {
    let from = 0;
    let to = this.#waiting.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#waiting[middle];
      if (other && inOrder(other, delivery) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
