export interface RunClockOptions {
  limitMs: number;
  monotonic: () => number;
  /** Called once the time is up. */
  onTimeout: () => void;
}

/** The working time of a run, with its limit. It stands still while the run waits. */
export class RunClock {
  readonly #options: RunClockOptions;
  #workedMs = 0;
  /** When it last started; undefined while it stands still. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: RunClockOptions) {
    this.#options = options;
    this.start();
  }

  /** Lets the time pass again; without effect once the run has finished. */
  start(): void {
    if (this.#isOver || this.#since !== undefined) return;
    const { limitMs, monotonic, onTimeout } = this.#options;
    this.#since = monotonic();
    this.#timer = setTimeout(onTimeout, Math.max(0, limitMs - this.#workedMs));
  }

  stop(): void {
    this.#workedMs = this.#elapsed();
    this.#since = undefined;
    clearTimeout(this.#timer);
  }

  /** Stops it permanently. */
  finish(): void {
    this.stop();
    this.#isOver = true;
  }

  /** How long the run has worked, in whole milliseconds. */
  elapsed(): number {
    return Math.round(this.#elapsed());
  }

  #elapsed(): number {
    return this.#workedMs + (this.#since === undefined ? 0 : this.#options.monotonic() - this.#since);
  }
}
