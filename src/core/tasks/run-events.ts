import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Database } from '../storage/database.ts';
import type { TaskStore } from './task-store.ts';
import type { NewEvent } from './new-event.ts';

/** More than this waits only when the disk does not take them. */
const MAX_WAITING = 1000;

/** The events of one run: stored as they come, those of one moment together, and never after the claim is over. */
export class RunEvents {
  readonly #deps: { database: Database; store: TaskStore; now: () => Date; onLost: () => void };
  readonly #task: TaskHead;
  #waiting: NewEvent[] = [];
  #writing: Promise<void> | undefined;
  #isOver = false;

  constructor(
    task: TaskHead,
    deps: { database: Database; store: TaskStore; now: () => Date; onLost: () => void },
  ) {
    this.#task = task;
    this.#deps = deps;
  }

  add(event: NewEvent): void {
    if (this.#isOver) return;
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Ends the recording; answers what is not stored yet, for the transaction that ends the run. */
  async finish(): Promise<NewEvent[]> {
    this.#isOver = true;
    await this.#writing;
    return this.#waiting;
  }

  async #write(): Promise<void> {
    const { database, store, now, onLost } = this.#deps;
    while (this.#waiting.length > 0 && !this.#isOver) {
      const events = this.#waiting;
      this.#waiting = [];
      try {
        const isOurs = await database.write((transaction) =>
          store.addEvents(transaction, this.#task, now(), events),
        );
        if (isOurs) continue;
        this.#isOver = true;
        onLost();
      } catch {
        // They go with the next ones, or with the outcome, which tells why when it cannot be stored either.
        this.#waiting = [...events, ...this.#waiting].slice(-MAX_WAITING);
        return;
      }
    }
  }
}
