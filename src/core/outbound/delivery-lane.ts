import type { Delivery } from '../delivery.ts';
import { longestDelayAfter } from './delivery-schedule.ts';

/** No delay exceeds the one after the last attempt: a later time was set by a wrong clock. */
const dueBy = ({ dueAt, attempts, waitMs }: Delivery, now: number) =>
  Math.min(dueAt, now + (waitMs ?? longestDelayAfter(attempts)));

/** Sorts by due time, then by id, which increases. */
const inOrder = (a: Delivery, b: Delivery) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1);

/**
 * The pending deliveries of one receiver, next first. It holds the earliest ones up to its capacity, and knows whether
 * more have to be loaded afterwards.
 */
export class DeliveryLane<Sending> {
  readonly key: string;
  readonly underway = new Map<string, Sending>();
  /** Whether its last attempt was slow; undefined before the first. */
  isSlow: boolean | undefined;
  /** Whether its last attempt timed out without an answer. */
  isSilent = false;
  hasMore = false;
  isLoading = false;
  /** Counts restarts: results from before a restart are outdated. */
  version = 0;
  readonly #room: number;
  readonly #waiting: Delivery[] = [];
  readonly #ids = new Set<string>();
  /** How many attempts are under way by key; more than one only where a person sends by hand. */
  readonly #busyKeys = new Map<string, number>();

  constructor(key: string, room: number) {
    this.key = key;
    this.#room = room;
  }

  get next(): Delivery | undefined {
    return this.#waiting[0];
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.underway.size === 0 && !this.hasMore && !this.isLoading;
  }

  /** Adds a new delivery, unless it comes after deliveries that are not loaded yet. */
  put(given: Delivery, now: number): void {
    if (this.#ids.has(given.id) || this.underway.has(given.id)) return;
    const delivery = { ...given, dueAt: dueBy(given, now) };
    const last = this.#waiting.at(-1);
    if (this.hasMore && (!last || inOrder(last, delivery) < 0)) return;
    if (delivery.attempts > 0) this.isSlow ??= true;
    this.#waiting.splice(this.#positionOf(delivery), 0, delivery);
    this.#ids.add(delivery.id);
    if (this.#waiting.length > this.#room) this.#dropLast();
  }

  /** Adds loaded deliveries, the earliest of those stored. */
  load(page: readonly Delivery[], isAll: boolean, now: number): void {
    for (const delivery of page) this.put(delivery, now);
    this.hasMore ||= !isAll;
  }

  /** The first due delivery that no other one with its key is in the way of. */
  startable(now: number): Delivery | undefined {
    for (const delivery of this.#waiting) {
      if (delivery.dueAt > now) return undefined;
      if (!this.#isBusy(delivery)) return delivery;
    }
    return undefined;
  }

  /** Takes what `startable` showed. */
  shift(now: number): Delivery | undefined {
    const delivery = this.startable(now);
    if (delivery) this.remove(delivery.id);
    return delivery;
  }

  /** Registers the start of an attempt; returns the function to call when it has finished. */
  start({ id, orderKey }: Delivery, sending: Sending): () => void {
    this.underway.set(id, sending);
    if (orderKey !== undefined) this.#busyKeys.set(orderKey, (this.#busyKeys.get(orderKey) ?? 0) + 1);
    return () => {
      this.underway.delete(id);
      if (orderKey === undefined) return;
      const left = (this.#busyKeys.get(orderKey) ?? 0) - 1;
      if (left > 0) this.#busyKeys.set(orderKey, left);
      else this.#busyKeys.delete(orderKey);
    };
  }

  remove(id: string): void {
    if (!this.#ids.delete(id)) return;
    this.#waiting.splice(
      this.#waiting.findIndex((delivery) => delivery.id === id),
      1,
    );
  }

  /** Discards the queue; everything has to be loaded again. */
  restart(): void {
    this.clear();
    this.hasMore = true;
    this.version++;
  }

  /** Discards the queue. */
  clear(): void {
    this.#waiting.length = 0;
    this.#ids.clear();
    this.hasMore = false;
  }

  /** Corrects due times after the clock was set back. */
  bringForward(now: number): void {
    for (const delivery of this.#waiting) delivery.dueAt = dueBy(delivery, now);
    this.#waiting.sort(inOrder);
  }

  #isBusy({ orderKey }: Delivery): boolean {
    return orderKey !== undefined && this.#busyKeys.has(orderKey);
  }

  #dropLast(): void {
    const dropped = this.#waiting.pop();
    if (dropped) this.#ids.delete(dropped.id);
    this.hasMore = true;
  }

  #positionOf(delivery: Delivery): number {
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
