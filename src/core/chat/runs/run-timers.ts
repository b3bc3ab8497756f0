import { timedOut } from './run-failure.ts';

/** The wall clock of one run. */
export interface RunTimer {
  /** Aborts with a `RunFailure` when the time is over. */
  signal: AbortSignal;
  /** Whether a worker has taken the run: then the worker reports that the time is over. */
  isTaken: boolean;
  stop: () => void;
}

/** One timer per run: what waits for a worker and what the worker does share it. */
export class RunTimers {
  readonly #ms: number;
  readonly #timers = new Map<string, RunTimer>();
  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** The timer of the run for the worker that does it; a new one for a run that an earlier daemon left. */
  take(runId: string): RunTimer {
    const timer = this.#timers.get(runId) ?? this.start(runId);
    timer.isTaken = true;
    return timer;
  }

  start(runId: string): RunTimer {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(timedOut(this.#ms)), this.#ms);
    // What works on a run keeps the process alive by itself.
    timer.unref();
    const started: RunTimer = {
      signal: controller.signal,
      isTaken: false,
      stop: () => {
        clearTimeout(timer);
        if (this.#timers.get(runId) === started) this.#timers.delete(runId);
      },
    };
    this.#timers.set(runId, started);
    return started;
  }
}
