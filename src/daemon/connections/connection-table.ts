/** What the table needs to know of a connection, and how it closes it. */
export interface Held {
  /** Addresses of one network share a key. */
  readonly key: string;
  /** How many connections the key may have; a trusted proxy, which speaks for many, has no limit of its own. */
  readonly max: number;
  /** True while the peer keeps the daemon waiting with a request or an answer that does not move. */
  isStalled(): boolean;
  /** Closes it, to make room. */
  close(): void;
}

interface Group<T> {
  all: Set<T>;
  /** Those without a request in progress, the longest idle first. */
  idle: Set<T>;
}

/**
 * Who may hold a connection. Where there is no room, the longest idle connection gives way, of the same address if that
 * has too many, otherwise of the address that has most; then one that is stalled. What works is never closed.
 */
export class ConnectionTable<T extends Held> {
  readonly #max: number;
  readonly #groups = new Map<string, Group<T>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Answers false when there is no room and nothing gives way. */
  admit(held: T): boolean {
    const own = this.#groups.get(held.key);
    if (own && own.all.size >= held.max && !this.#makeRoomIn(own)) return false;
    if (this.#size >= this.#max && !this.#makeRoom()) return false;
    // Looked up again: making room may have removed it.
    const group = this.#groups.get(held.key) ?? { all: new Set(), idle: new Set() };
    this.#groups.set(held.key, group);
    group.all.add(held);
    group.idle.add(held);
    this.#size++;
    return true;
  }

  /** A request began on the connection. */
  markBusy(held: T): void {
    this.#groups.get(held.key)?.idle.delete(held);
  }

  /** The connection waits for its next request. */
  markIdle(held: T): void {
    const group = this.#groups.get(held.key);
    if (!group?.all.has(held)) return;
    group.idle.delete(held);
    group.idle.add(held);
  }

  remove(held: T): void {
    const group = this.#groups.get(held.key);
    if (!group?.all.delete(held)) return;
    group.idle.delete(held);
    if (group.all.size === 0) this.#groups.delete(held.key);
    this.#size--;
  }

  #makeRoom(): boolean {
    const groups = [...this.#groups.values()];
    const idle = heaviest(groups.filter((group) => group.idle.size > 0));
    if (idle) return this.#makeRoomIn(idle);
    const stalled = heaviest(groups.filter(({ all }) => [...all].some((held) => held.isStalled())));
    return stalled !== undefined && this.#makeRoomIn(stalled);
  }

  #makeRoomIn({ all, idle }: Group<T>): boolean {
    const [longestIdle] = idle;
    const leaving = longestIdle ?? [...all].find((held) => held.isStalled());
    if (!leaving) return false;
    this.remove(leaving);
    leaving.close();
    return true;
  }
}

const heaviest = <T extends Held>(groups: Group<T>[]): Group<T> | undefined => {
  const [first, ...others] = groups;
  return others.reduce((most, group) => (weightOf(group) > weightOf(most ?? group) ? group : most), first);
};

/** A proxy has many connections because it has many clients: it comes last. */
function weightOf<T extends Held>({ all }: Group<T>): number {
  const [first] = all;
  return first && Number.isFinite(first.max) ? all.size : 0;
}
