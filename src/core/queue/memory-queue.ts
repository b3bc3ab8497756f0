import type { Entry } from './fair-level.ts';
import { FairPool } from './fair-pool.ts';
import { type Intake, openIntake } from './intake.ts';
import { RunningWork } from './running-work.ts';
import {
  type EnqueueOptions,
  type PoolStatus,
  type QueuedWork,
  type QueueLimits,
  type TaskQueue,
  type WorkSlot,
  workOf,
} from './task-queue.ts';

/** setTimeout takes no more; a longer wait is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Delayed {
  due: number;
  work: QueuedWork;
  timer: NodeJS.Timeout;
}
interface Ready {
  entry: Entry;
  pool: FairPool;
}
/** An id that was not delivered yet. */
export interface WaitingId {
  id: string;
  work: QueuedWork;
  /** 0 or less where it is due. */
  delayMs: number;
}
type Handle = (id: string, work: QueuedWork, slot: WorkSlot) => Promise<void>;

export interface MemoryQueueDeps {
  /** What may run at the same time; without it, `concurrency` ids in a single pool. */
  limits?: QueueLimits;
  /** Which work may start here; all of it unless given. */
  intake?: Intake;
  /** Milliseconds that never jump, for how long work waits. */
  monotonic?: () => number;
  /** Called for each comparison that finds what comes next. */
  onStep?: () => void;
  /** Called with the pool to which work has come, or which work has left. */
  onChange?: (pool: string) => void;
}

/** Delivers by priority, and fairly between owners within one; nothing outlives the process. */
export class MemoryQueue implements TaskQueue {
  readonly #monotonic: () => number;
  readonly #onStep: (() => void) | undefined;
  readonly #onChange: ((pool: string) => void) | undefined;
  readonly #pools = new Map<string, FairPool>();
  readonly #runningWork = new RunningWork();
  /** Ids that may be delivered now. */
  readonly #ready = new Map<string, Ready>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #running = new Set<Promise<void>>();
  #handle: Handle | undefined;
  #concurrency = 0;
  readonly #limits: QueueLimits;
  readonly #intake: Intake;
  #order = 0;
  #isClosed = false;

  constructor({
    limits,
    intake = openIntake,
    monotonic = () => performance.now(),
    onStep,
    onChange,
  }: MemoryQueueDeps = {}) {
    this.#limits = limits ?? singlePool(() => this.#concurrency);
    this.#intake = intake;
    this.#monotonic = monotonic;
    this.#onStep = onStep;
    this.#onChange = onChange;
  }

  async enqueue(id: string, options: EnqueueOptions = {}): Promise<void> {
    if (this.#isClosed || this.#ready.has(id)) return;
    const { delayMs = 0 } = options;
    const work = workOf(options);
    const due = performance.now() + Math.max(0, delayMs);
    const known = this.#delayed.get(id);
    if (known && known.due <= due) return;
    if (known) this.#forget(id, known);
    if (delayMs > 0) this.#delay(id, work, due);
    else this.#makeReady(id, work);
  }

  runNow(work: QueuedWork, run: (slot: WorkSlot) => Promise<void>): boolean {
    if (this.#isClosed || !this.#handle || !this.#takes(work)) return false;
    const pool = this.#poolOf(work);
    if (!pool.takeNew(work)) return false;
    this.#run(run, work, pool);
    return true;
  }

  async remove(id: string): Promise<void> {
    const ready = this.#ready.get(id);
    if (ready) ready.pool.remove(ready.entry);
    this.#ready.delete(id);
    const delayed = this.#delayed.get(id);
    if (delayed) this.#forget(id, delayed);
  }

  /** Whether an id of such work that came now would be delivered at once. */
  hasRoom(work: QueuedWork): boolean {
    if (this.#isClosed || this.#handle === undefined || !this.#takes(work)) return false;
    return this.#poolOf(work).hasRoom(work);
  }

  /** The pool in which such work has its slots. */
  poolOf(work: QueuedWork): string {
    return this.#limits.poolOf(work);
  }

  /** Whether the id waits here, for its turn or for its time. */
  has(id: string): boolean {
    return this.#ready.has(id) || this.#delayed.has(id);
  }

  /** Takes back everything that waits, what is due first. */
  takeAll(): WaitingId[] {
    const due = [...this.#ready].map(([id, { entry }]) => ({ id, work: entry.work, delayMs: 0 }));
    const now = performance.now();
    const later = [...this.#delayed].map(([id, each]) => ({ id, work: each.work, delayMs: each.due - now }));
    for (const { pool, entry } of this.#ready.values()) pool.remove(entry);
    this.#ready.clear();
    for (const [id, delayed] of this.#delayed) this.#forget(id, delayed);
    return [...due, ...later];
  }

  /** Takes back so much of what is due in a pool, the most urgent first and what has waited longest of it. */
  takeDue(pool: string, count: number): WaitingId[] {
    const due = [...this.#ready].filter(([, each]) => each.pool === this.#pools.get(pool));
    const levels = Map.groupBy(due, ([, { entry }]) => entry.work.priority);
    const taken = [...levels.keys()].sort((a, b) => a - b).flatMap((priority) => levels.get(priority) ?? []);
    return taken.slice(0, count).map(([id, ready]) => {
      ready.pool.remove(ready.entry);
      this.#ready.delete(id);
      return { id, work: ready.entry.work, delayMs: 0 };
    });
  }

  slots(pool: string): number {
    return this.#limits.slots(pool);
  }

  /** Slots of a pool that new work would get at once; 0 where anything waits for them. */
  free(pool: string): number {
    if (this.#isClosed || !this.#handle || !this.#intake.isOpen) return 0;
    return this.#pools.get(pool)?.free() ?? this.#limits.slots(pool);
  }

  /** Ids that are due in a pool. */
  waiting(pool: string): number {
    return this.#pools.get(pool)?.status().waiting ?? 0;
  }

  async start(handle: Handle, { concurrency }: { concurrency: number }): Promise<void> {
    this.#handle = handle;
    this.#concurrency = concurrency;
    this.#deliver();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, delayed] of this.#delayed) this.#forget(id, delayed);
    await Promise.all(this.#running);
  }

  pools(): PoolStatus[] {
    return [...this.#pools.values()].map((pool) => pool.status()).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #delay(id: string, work: QueuedWork, due: number): void {
    const wait = Math.min(due - performance.now(), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      this.#delayed.delete(id);
      if (due > performance.now() + 1) this.#delay(id, work, due);
      else this.#makeReady(id, work);
    }, wait);
    this.#delayed.set(id, { due, work, timer });
  }

  #forget(id: string, delayed: Delayed): void {
    clearTimeout(delayed.timer);
    this.#delayed.delete(id);
  }

  #makeReady(id: string, work: QueuedWork): void {
    const entry = { id, work, order: this.#order++, isRemoved: false };
    const pool = this.#poolOf(work);
    this.#ready.set(id, { entry, pool });
    pool.push(entry, this.#monotonic());
    this.#deliver();
    if (this.#ready.has(id)) this.#onChange?.(pool.name);
  }

  #poolOf(work: QueuedWork): FairPool {
    const limits = this.#limits;
    const name = limits.poolOf(work);
    let pool = this.#pools.get(name);
    if (!pool) {
      pool = new FairPool({ name, limits, running: this.#runningWork, onStep: this.#onStep });
      this.#pools.set(name, pool);
    }
    return pool;
  }

  #deliver(): void {
    if (!this.#handle) return;
    for (const pool of this.#pools.values()) {
      if (!this.#isClosed) pool.serveReturning();
      for (let entry = this.#take(pool); entry; entry = this.#take(pool))
        this.#runEntry(this.#handle, entry, pool);
    }
  }

  #takes(work: QueuedWork): boolean {
    return this.#intake.isOpen && this.#intake.runs(work);
  }

  #take(pool: FairPool): Entry | undefined {
    return this.#isClosed || !this.#intake.isOpen ? undefined : pool.take(this.#monotonic());
  }

  #runEntry(handle: Handle, { id, work }: Entry, pool: FairPool): void {
    this.#ready.delete(id);
    this.#run((slot) => handle(id, work, slot), work, pool);
  }

  #run(begin: (slot: WorkSlot) => Promise<void>, work: QueuedWork, pool: FairPool): void {
    const slot = this.#slotOf(work, pool);
    const run = begin(slot)
      // The handler answers for its own failures; here they only must not stop the queue.
      .catch(() => undefined)
      .finally(() => {
        this.#running.delete(run);
        slot.release();
      });
    this.#running.add(run);
  }

  /** The slot of work that has just been taken from its pool. */
  #slotOf(work: QueuedWork, pool: FairPool): WorkSlot {
    let isHeld = false;
    const count = () => {
      isHeld = true;
      this.#runningWork.add(work);
      this.#reconsider(work.owner);
      this.#onChange?.(pool.name);
    };
    count();
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#runningWork.remove(work);
        pool.end(work);
        this.#reconsider(work.owner);
        this.#deliver();
        this.#onChange?.(pool.name);
      },
      acquire: async (signal) => {
        if (isHeld) return;
        const free = pool.return(work, signal, count);
        this.#deliver();
        await free;
      },
    };
  }

  #reconsider(owner: string): void {
    for (const pool of this.#pools.values()) pool.reconsider(owner);
  }
}

const singlePool = (slots: () => number): QueueLimits => ({
  poolOf: () => 'tasks',
  slots,
  reserved: () => 0,
  weight: () => 1,
  perOwner: () => Number.POSITIVE_INFINITY,
  perOwnerAndAgent: () => Number.POSITIVE_INFINITY,
  agingMs: () => Number.POSITIVE_INFINITY,
});
