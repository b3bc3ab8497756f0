import type { EventBus } from '../events.ts';
import type { FinishedTaskStore } from '../tasks/finished-task-store.ts';

/** The number of latest runs in the average. */
const WINDOW = 20;
/** They are looked for among so many of the newest finished tasks. */
const LOOKED_AT = 200;
/** The estimate until a task has completed. */
const GUESS_MS = 60_000;

/** The recent average duration of runs, loaded on first use. */
export class RunTimeEstimates {
  readonly #deps: { finished: FinishedTaskStore; bus: EventBus };
  readonly #durations: number[] = [];
  #ready: Promise<void> | undefined;

  constructor(deps: { finished: FinishedTaskStore; bus: EventBus }) {
    this.#deps = deps;
  }

  /** Milliseconds, the average of the newest completed tasks. */
  async average(): Promise<number> {
    this.#ready ??= this.#begin().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
    const { length } = this.#durations;
    return length === 0 ? GUESS_MS : this.#durations.reduce((sum, ms) => sum + ms, 0) / length;
  }

  async #begin(): Promise<void> {
    const { finished, bus } = this.#deps;
    for (const ms of (await finished.durations(LOOKED_AT)).slice(0, WINDOW).reverse()) this.#add(ms);
    // Those of other daemons were missed: they are read again.
    const stop = bus.onGap(() => {
      stop();
      unsubscribe();
      this.#durations.length = 0;
      this.#ready = undefined;
    });
    const unsubscribe = bus.on('task', ({ event }) => {
      if (event.type === 'completed') this.#add(Number(event.data['duration']));
    });
  }

  #add(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0) return;
    this.#durations.push(ms);
    if (this.#durations.length > WINDOW) this.#durations.shift();
  }
}
