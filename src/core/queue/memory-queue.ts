import type { EnqueueOptions, TaskQueue } from './task-queue.ts';

const DEFAULT_PRIORITY = 3;
/** setTimeout takes no more; a longer wait is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Delayed {
  due: number;
  priority: number;
  timer: NodeJS.Timeout;
}

/** A place in a lane: an id that is removed and comes again gets another. */
interface Place {
  id: string;
}

/** First in, first out within a priority; nothing outlives the process. */
export class MemoryQueue implements TaskQueue {
  readonly #lanes = new Map<number, Lane>();
  /** Ids that may be delivered now, with their place. */
  readonly #ready = new Map<string, Place>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #running = new Set<Promise<void>>();
  #handle: ((id: string) => Promise<void>) | undefined;
  #concurrency = 0;
  #isClosed = false;

  async enqueue(
    id: string,
    { priority = DEFAULT_PRIORITY, delayMs = 0 }: EnqueueOptions = {},
  ): Promise<void> {
    if (this.#isClosed || this.#ready.has(id)) return;
    const due = performance.now() + Math.max(0, delayMs);
    const known = this.#delayed.get(id);
    if (known && known.due <= due) return;
    if (known) this.#forget(id, known);
    if (delayMs > 0) this.#delay(id, priority, due);
    else this.#makeReady(id, priority);
  }

  async remove(id: string): Promise<void> {
    this.#ready.delete(id);
    const delayed = this.#delayed.get(id);
    if (delayed) this.#forget(id, delayed);
  }

  async start(
    handle: (id: string) => Promise<void>,
    { concurrency }: { concurrency: number },
  ): Promise<void> {
    this.#handle = handle;
    this.#concurrency = concurrency;
    this.#deliver();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, delayed] of this.#delayed) this.#forget(id, delayed);
    await Promise.all(this.#running);
  }

  #delay(id: string, priority: number, due: number): void {
    const wait = Math.min(due - performance.now(), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      this.#delayed.delete(id);
      if (due > performance.now() + 1) this.#delay(id, priority, due);
      else this.#makeReady(id, priority);
    }, wait);
    this.#delayed.set(id, { due, priority, timer });
  }

  #forget(id: string, delayed: Delayed): void {
    clearTimeout(delayed.timer);
    this.#delayed.delete(id);
  }

  #makeReady(id: string, priority: number): void {
    const place = { id };
    this.#ready.set(id, place);
    let lane = this.#lanes.get(priority);
    if (!lane) this.#lanes.set(priority, (lane = new Lane()));
    lane.push(place);
    this.#deliver();
  }

  #deliver(): void {
    while (!this.#isClosed && this.#handle && this.#running.size < this.#concurrency) {
      const id = this.#next();
      if (id === undefined) return;
      const run = this.#handle(id)
        // The handler answers for its own failures; here they only must not stop the queue.
        .catch(() => undefined)
        .finally(() => {
          this.#running.delete(run);
          this.#deliver();
        });
      this.#running.add(run);
    }
  }

  #next(): string | undefined {
    for (const priority of [...this.#lanes.keys()].sort((a, b) => a - b)) {
      const lane = this.#lanes.get(priority);
      for (let place = lane?.shift(); place; place = lane?.shift()) {
        // An id that was removed, or that has another place since, is only passed over.
        if (this.#ready.get(place.id) !== place) continue;
        this.#ready.delete(place.id);
        return place.id;
      }
    }
    return undefined;
  }
}

/** A queue whose shift does not move the rest. */
class Lane {
  #items: (Place | undefined)[] = [];
  #first = 0;

  push(item: Place): void {
    this.#items.push(item);
  }

  shift(): Place | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#items[this.#first++] = undefined;
    if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
