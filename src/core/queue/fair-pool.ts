import { type Entry, FairLevel, type Standing } from './fair-level.ts';
import type { RunningWork } from './running-work.ts';
import type { PoolStatus, QueuedWork, QueueLimits } from './task-queue.ts';

interface Level {
  priority: number;
  line: FairLevel;
  /** When it last had a turn, or got its first work after it had none. */
  since: number;
  /** Entries that wait, without those that were removed. */
  waiting: number;
}

/** Work that gave its slot away and wants one again. */
interface Returning {
  work: QueuedWork;
  serve: () => void;
}

export interface FairPoolDeps {
  name: string;
  limits: QueueLimits;
  /** What runs in all pools. */
  running: RunningWork;
  onStep?: (() => void) | undefined;
}

/**
 * Work that shares slots. The most urgent priority goes first; one that has waited for a turn long enough goes before
 * those above it, so that none starves. Within a priority owners take turns.
 */
export class FairPool {
  readonly #deps: FairPoolDeps;
  readonly #levels = new Map<number, Level>();
  readonly #runningOf = new Map<string, number>();
  readonly #waitingOf = new Map<string, number>();
  readonly #returning = new Set<Returning>();
  #running = 0;

  constructor(deps: FairPoolDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.name;
  }

  push(entry: Entry, now: number): void {
    const { owner, priority } = entry.work;
    const level = this.#levelOf(priority, now);
    if (level.waiting === 0) level.since = now;
    level.waiting++;
    change(this.#waitingOf, owner, 1);
    level.line.push(entry);
  }

  /** To be called once for an entry that is removed before it was taken. */
  remove(entry: Entry): void {
    entry.isRemoved = true;
    this.#countOut(entry);
  }

  /** The next entry that may run now; it counts as running from here on. */
  take(now: number): Entry | undefined {
    const { name, limits } = this.#deps;
    const free = limits.slots(name) - this.#running;
    if (free <= 0) return undefined;
    const isReserved = free <= limits.reserved(name);
    const level = this.#nextLevel(isReserved, now);
    const entry = level?.line.take(isReserved);
    if (!level || !entry) return undefined;
    level.since = now;
    this.#countOut(entry);
    this.#countIn(entry.work);
    return entry;
  }

  /** Counts work that was never pushed as running where it may run at once. */
  takeNew(work: QueuedWork): boolean {
    if (!this.hasRoom(work)) return false;
    this.#countIn(work);
    return true;
  }

  /** Whether new work may run at once: a slot is free, and nothing waits. */
  hasRoom(work: QueuedWork): boolean {
    const { name, limits } = this.#deps;
    const free = this.free();
    if (free === 0) return false;
    const standing = this.#standingOf(work.owner, work.agent);
    if (standing === 'capped') return false;
    return standing !== 'served' || free > limits.reserved(name);
  }

  /** Slots that are free for new work, the reserved ones included; 0 where anything waits. */
  free(): number {
    const { name, limits } = this.#deps;
    if (this.#waitingOf.size > 0 || this.#returning.size > 0) return 0;
    return Math.max(0, limits.slots(name) - this.#running);
  }

  /** Resolves once work that gave its slot away has one again; `serve` is called at that moment. */
  return(work: QueuedWork, signal: AbortSignal, serve: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#returning.delete(returning);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const returning: Returning = {
        work,
        serve: () => {
          leave();
          serve();
          resolve();
        },
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      this.#returning.add(returning);
    });
  }

  /** Gives free slots to returning work, the longest waiting first, as far as its owners may run more. */
  serveReturning(): void {
    const { name, limits } = this.#deps;
    for (const { work, serve } of this.#returning) {
      const free = limits.slots(name) - this.#running;
      if (free <= 0) return;
      const standing = this.#standingOf(work.owner, work.agent);
      if (standing === 'capped' || (standing === 'served' && free <= limits.reserved(name))) continue;
      this.#countIn(work);
      serve();
    }
  }

  /** Takes the slot of work back that has finished or only waits. */
  end({ owner }: QueuedWork): void {
    this.#running--;
    change(this.#runningOf, owner, -1);
  }

  /** Looks again at what an owner may start. */
  reconsider(owner: string): void {
    for (const { line } of this.#levels.values()) line.reconsider(owner);
  }

  status(): PoolStatus {
    const { name, limits } = this.#deps;
    const levels = [...this.#levels.values()].map(({ priority, waiting }) => ({ priority, waiting }));
    return {
      name,
      slots: limits.slots(name),
      running: this.#running,
      waiting: levels.reduce((sum, level) => sum + level.waiting, 0),
      users: this.#waitingOf.size,
      levels,
    };
  }

  #countIn({ owner }: QueuedWork): void {
    this.#running++;
    change(this.#runningOf, owner, 1);
  }

  #countOut({ work }: Entry): void {
    const level = this.#levels.get(work.priority);
    if (level) level.waiting--;
    change(this.#waitingOf, work.owner, -1);
  }

  #levelOf(priority: number, now: number): Level {
    let level = this.#levels.get(priority);
    if (!level) {
      const { limits, onStep } = this.#deps;
      const line = new FairLevel({
        weight: (owner) => limits.weight(owner),
        standing: (owner, agent) => this.#standingOf(owner, agent),
        onStep,
      });
      this.#levels.set(priority, (level = { priority, line, since: now, waiting: 0 }));
    }
    return level;
  }

  #nextLevel(isReserved: boolean, now: number): Level | undefined {
    const agingMs = this.#deps.limits.agingMs();
    const rankOf = ({ priority, since }: Level) => priority - Math.floor((now - since) / agingMs);
    let best: Level | undefined;
    for (const level of this.#levels.values()) {
      if (level.waiting === 0 || !level.line.next(isReserved)) continue;
      const ahead =
        best && (rankOf(level) - rankOf(best) || level.since - best.since || level.priority - best.priority);
      if (ahead === undefined || ahead < 0) best = level;
    }
    return best;
  }

  #standingOf(owner: string, agent: string): Standing {
    const { limits, running, name } = this.#deps;
    if (name !== 'interactive') {
      if (running.ofOwner(owner) >= limits.perOwner()) return 'capped';
      if (running.ofOwnerAndAgent(owner, agent) >= limits.perOwnerAndAgent()) return 'capped';
    }
    return this.#runningOf.has(owner) ? 'served' : 'new';
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
