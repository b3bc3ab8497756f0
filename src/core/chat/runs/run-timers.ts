import { sessionOver } from './run-failure.ts';

/** The wall clock of one run. */
export interface RunTimer {
  /** Aborts with a `RunFailure` when the time is up. */
  signal: AbortSignal;
  /** Whether a worker has claimed the run, which then reports the timeout. */
  isTaken: boolean;
  stop: () => void;
}

/** One timer per run, which covers the wait for a worker and the work itself. */
export class RunTimers {
  readonly #ms: number;
  readonly #timers = new Map<string, RunTimer>();
  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Claims the timer of a run for its worker; starts one for a run of an earlier daemon. */
  take(runId: string): RunTimer {
    const timer = this.#timers.get(runId) ?? this.start(runId);
    timer.isTaken = true;
    return timer;
  }

  start(runId: string): RunTimer {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(sessionOver(this.#ms)), this.#ms);
    // A pending timer alone must not keep the process alive.
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
