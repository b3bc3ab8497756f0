import { Heap, type HeapItem } from './heap.ts';
import type { QueuedWork } from './task-queue.ts';
import { WaitingLine } from './waiting-line.ts';

/** An id that waits; one that is removed and comes again is another entry. */
export interface Entry {
  id: string;
  work: QueuedWork;
  /** Rises with each entry. */
  order: number;
  isRemoved: boolean;
}

/** Whether an owner may start work: always, only beside the reserved slots, or not now. */
export type Standing = 'new' | 'served' | 'capped';

/** The waiting work of one owner for one agent. */
interface Share extends HeapItem {
  flow: Flow;
  agent: string;
  line: WaitingLine<Entry>;
  heap: Heap<Share> | undefined;
}

/** An owner's part of the level: `pass` rises with each delivery, by less the more weight the owner has. */
interface Flow {
  owner: string;
  pass: number;
  shares: Map<string, Share>;
}

export interface FairLevelDeps {
  weight: (owner: string) => number;
  standing: (owner: string, agent: string) => Standing;
  /** Called for each comparison. */
  onStep?: (() => void) | undefined;
}

const MIN_FORGOTTEN = 1000;

/**
 * The waiting work of one priority. Owners take turns by weight (stride scheduling): the owner with the least so far is
 * next, and an owner who comes back neither saves up turns nor gets rid of those already had.
 */
export class FairLevel {
  readonly #deps: FairLevelDeps;
  readonly #flows = new Map<string, Flow>();
  readonly #heaps: Record<'new' | 'served', Heap<Share>>;
  #turn = 0;
  #forgetAt = MIN_FORGOTTEN;

  constructor(deps: FairLevelDeps) {
    this.#deps = deps;
    const isBefore = (a: Share, b: Share) => {
      deps.onStep?.();
      return comesFirst(a, b);
    };
    this.#heaps = { new: new Heap(isBefore), served: new Heap(isBefore) };
  }

  push(entry: Entry): void {
    const { owner, agent } = entry.work;
    let flow = this.#flows.get(owner);
    if (!flow) this.#flows.set(owner, (flow = { owner, pass: this.#turn, shares: new Map() }));
    if (flow.shares.size === 0) flow.pass = Math.max(flow.pass, this.#turn);
    let share = flow.shares.get(agent);
    if (!share) {
      share = { flow, agent, line: new WaitingLine(), heap: undefined, position: 0 };
      flow.shares.set(agent, share);
    }
    share.line.push(entry);
    if (!share.heap) this.#place(share);
  }

  /** What comes next, without taking it; `isReserved` where only owners of whom nothing runs may start. */
  next(isReserved: boolean): Entry | undefined {
    return this.#first(isReserved)?.line.head;
  }

  /** Takes what `next` showed. */
  take(isReserved: boolean): Entry | undefined {
    const share = this.#first(isReserved);
    if (!share) return undefined;
    const { flow } = share;
    this.#turn = Math.max(this.#turn, flow.pass);
    // The position of every share of the owner depends on the pass, so none may be in a heap when it changes.
    for (const other of flow.shares.values()) this.#lift(other);
    const entry = share.line.shift();
    flow.pass += 1 / Math.max(this.#deps.weight(flow.owner), Number.EPSILON);
    for (const other of flow.shares.values()) this.#place(other);
    this.#forgetIdle();
    return entry;
  }

  /** Looks again at what an owner may start. */
  reconsider(owner: string): void {
    for (const share of this.#flows.get(owner)?.shares.values() ?? []) this.#place(share);
  }

  #first(isReserved: boolean): Share | undefined {
    const fresh = this.#firstLive(this.#heaps.new);
    const served = isReserved ? undefined : this.#firstLive(this.#heaps.served);
    if (!fresh || !served) return fresh ?? served;
    return comesFirst(served, fresh) ? served : fresh;
  }

  /** Entries that were removed are dropped here, each once. */
  #firstLive(heap: Heap<Share>): Share | undefined {
    for (let share = heap.first; share; share = heap.first) {
      if (share.line.head?.isRemoved === false) return share;
      this.#place(share);
    }
    return undefined;
  }

  /** Puts a share where it belongs; one without work is dropped. */
  #place(share: Share): void {
    this.#lift(share);
    while (share.line.head?.isRemoved) share.line.shift();
    if (!share.line.head) {
      share.flow.shares.delete(share.agent);
      return;
    }
    const standing = this.#deps.standing(share.flow.owner, share.agent);
    if (standing === 'capped') return;
    share.heap = this.#heaps[standing];
    share.heap.push(share);
  }

  #lift(share: Share): void {
    share.heap?.remove(share);
    share.heap = undefined;
  }

  /** An owner without work is remembered only while that owner has had more than the others. */
  #forgetIdle(): void {
    if (this.#flows.size < this.#forgetAt) return;
    for (const [owner, { pass, shares }] of this.#flows)
      if (shares.size === 0 && pass <= this.#turn) this.#flows.delete(owner);
    this.#forgetAt = Math.max(MIN_FORGOTTEN, this.#flows.size * 2);
  }
}

const orderOf = ({ line }: Share): number => line.head?.order ?? 0;

const comesFirst = (a: Share, b: Share): boolean =>
  a.flow.pass === b.flow.pass ? orderOf(a) < orderOf(b) : a.flow.pass < b.flow.pass;
