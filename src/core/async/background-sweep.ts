import { setImmediate as breathe } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 15_000;

export interface BackgroundSweepDeps {
  /** Takes up a page of what is open; answers whether there is more. */
  takeUp: () => Promise<boolean>;
  log: Log;
}

/** Takes up what rows say is still to do: all of it at the start, then a page every 15 seconds, whatever was forgotten. */
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

  /** Returns at once; calls back when everything that was open before has been taken up. */
  start(onComplete: () => void = () => undefined): void {
    const { takeUp } = this.#deps;
    this.work(async () => {
      while (!this.#isStopped && (await takeUp())) await breathe();
      onComplete();
    });
    this.#timer = setInterval(() => this.work(takeUp), EVERY_MS).unref();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#working);
  }

  /** Does something that the next sweep does again where it fails. */
  work(work: () => Promise<unknown>): void {
    if (this.#isStopped) return;
    const done = work()
      .catch((error: unknown) => this.complain(error))
      .then(() => void this.#working.delete(done));
    this.#working.add(done);
  }

  /** What the storage refuses is tried again; anything else is a bug. */
  complain(error: unknown): undefined {
    if (!(error instanceof AppError)) this.#deps.log.error({ err: error }, 'this is a bug in svc');
  }
}
