import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 15_000;

export interface BackgroundSweepDeps {
  /** Processes a page of pending work; returns whether there is more. */
  processPage: () => Promise<boolean>;
  log: Log;
}

/** Processes work that is pending in the database: all of it at the start, then a page every 15 seconds as a safety net. */
export class BackgroundSweep {
  readonly #deps: BackgroundSweepDeps;
  readonly #working = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: BackgroundSweepDeps) {
    this.#deps = deps;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Starts in the background; calls `onComplete` once all work that was pending at the start is processed. */
  start(onComplete: () => void = () => undefined): void {
    const { processPage: takeUp } = this.#deps;
    this.runInBackground(async () => {
      while (!this.#isStopped && (await takeUp())) await yieldToEventLoop();
      onComplete();
    });
    this.#timer = setInterval(() => this.runInBackground(takeUp), EVERY_MS).unref();
  }

  /** Starts no more work and waits for what is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#working);
  }

  /** Runs work in the background. If it fails, the next sweep retries it. */
  runInBackground(work: () => Promise<unknown>): void {
    if (this.#isStopped) return;
    const done = work()
      .catch((error: unknown) => this.logUnexpected(error))
      .then(() => void this.#working.delete(done));
    this.#working.add(done);
  }

  /** Logs unexpected errors. An `AppError` from the storage is not logged: the work is retried. */
  logUnexpected(error: unknown): undefined {
    if (!(error instanceof AppError)) this.#deps.log.error({ err: error }, 'this is a bug in svc');
  }
}
