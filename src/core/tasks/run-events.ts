import type { TaskHead } from '../storage/rows/tasks.ts';
import { type Database, independent } from '../storage/database.ts';
import type { TaskStore } from './task-store.ts';
import type { NewEvent } from './new-event.ts';

/** More than this is not kept while the disk does not take them. */
const MAX_WAITING = 1000;
/** So many are stored without waiting for those of other runs. */
const FULL_GROUP = 100;

export interface RunEventsDeps {
  database: Database;
  store: TaskStore;
  now: () => Date;
  /** Resolves when the next events are to be stored. */
  nextWrite: () => Promise<void>;
  /** Called when the claim is over. */
  onLost: () => void;
}

/** The events of one run: stored in order, those of one moment together, and never after the claim is over. */
export class RunEvents {
  readonly #deps: RunEventsDeps;
  readonly #task: TaskHead;
  #waiting: NewEvent[] = [];
  #isScheduled = false;
  #writing: Promise<void> | undefined;
  #isOver = false;
  /** Whether the disk did not take the last ones. */
  #isRefused = false;
  /** How many were added, and how many of them are stored, or will never be. */
  #added = 0;
  #done = 0;
  /** What follows the events that were added before it. */
  #followers: { after: number; call: () => void }[] = [];

  constructor(task: TaskHead, deps: RunEventsDeps) {
    this.#task = task;
    this.#deps = deps;
  }

  add(event: NewEvent): void {
    if (this.#isOver) return;
    this.#waiting.push({ ...event, at: this.#deps.now().toISOString() });
    this.#added++;
    if (this.#isRefused) this.#dropOldest();
    if (this.#waiting.length < FULL_GROUP || this.#isRefused) this.#schedule();
    else this.#store();
  }

  /** Calls it when the events that were added before are stored, which may be at once. What waits too long is not called. */
  afterStored(call: () => void): void {
    if (this.#added === this.#done) return call();
    this.#followers.push({ after: this.#added, call });
    if (this.#followers.length > MAX_WAITING) this.#followers.shift();
  }

  /** Ends the recording; answers what is not stored yet, for the transaction that ends the run. */
  async finish(): Promise<NewEvent[]> {
    this.#isOver = true;
    await this.#writing;
    if (this.#followers.length > 0) await this.#write();
    return this.#waiting;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#writing || this.#isOver) return;
    this.#isScheduled = true;
    void this.#deps.nextWrite().then(() => {
      this.#isScheduled = false;
      this.#store();
    });
  }

  #store(): void {
    if (this.#writing || this.#isOver || this.#waiting.length === 0) return;
    this.#writing = this.#write().then((isStored) => {
      this.#writing = undefined;
      this.#isRefused = !isStored;
      if (isStored && this.#waiting.length > 0) this.#schedule();
    });
  }

  /** Answers false when the disk does not take the events. */
  async #write(): Promise<boolean> {
    const { database, store, now, onLost } = this.#deps;
    const events = this.#waiting;
    this.#waiting = [];
    try {
      const isOurs = await database.write(
        (transaction) => store.addEvents(transaction, this.#task, now(), events),
        independent,
      );
      if (isOurs) this.#callFollowers(events.length);
      else {
        this.#isOver = true;
        this.#followers = [];
        onLost();
      }
      return true;
    } catch {
      // They go with the next ones, or with the outcome, which tells why when it cannot be stored either.
      this.#waiting = [...events, ...this.#waiting];
      this.#dropOldest();
      return false;
    }
  }

  #dropOldest(): void {
    const dropped = this.#waiting.splice(0, Math.max(0, this.#waiting.length - MAX_WAITING));
    this.#done += dropped.length;
  }

  #callFollowers(stored: number): void {
    this.#done += stored;
    const next = this.#followers.findIndex(({ after }) => after > this.#done);
    const due = this.#followers.splice(0, next < 0 ? this.#followers.length : next);
    for (const { call } of due) call();
  }
}
