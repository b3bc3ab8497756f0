import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { BackgroundWork } from './background-work.ts';

const EVERY_MS = 15_000;

export interface BackgroundSweepDeps {
  /** Processes a page of pending work; returns whether there is more. */
  processPage: () => Promise<boolean>;
  log: Log;
}

/** Processes work that is pending in the database: all of it at the start, then a page every 15 seconds as a safety net. */
export class BackgroundSweep {
  readonly #deps: BackgroundSweepDeps;
  readonly #work: BackgroundWork;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: BackgroundSweepDeps) {
    this.#deps = deps;
    this.#work = new BackgroundWork(deps.log);
  }

  get isStopped(): boolean {
    return this.#work.isStopped;
  }

  /** Starts in the background; calls `onComplete` once all work that was pending at the start is processed. */
  start(onComplete: () => void = () => undefined): void {
    const { processPage: takeUp } = this.#deps;
    this.runInBackground(async () => {
      while (!this.isStopped && (await takeUp())) await yieldToEventLoop();
      onComplete();
    });
    this.#timer = setInterval(() => this.runInBackground(takeUp), EVERY_MS).unref();
  }

  /** Starts no more work and waits for what is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work.stop();
  }

  /** Runs work in the background. If it fails, the next sweep retries it. */
  runInBackground(work: () => Promise<unknown>): void {
    this.#work.run(work);
  }

  /** Logs unexpected errors. An `AppError` from the storage is not logged: the work is retried. */
  logUnexpected(error: unknown): undefined {
    return this.#work.logUnexpected(error);
  }
}
