import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Work whose result no caller needs; if it fails, a later round repeats it. */
export class BackgroundWork {
  readonly #log: Log;
  readonly #working = new Set<Promise<void>>();
  #isStopped = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Starts it, unless this is stopped. */
  run(work: () => Promise<unknown>): void {
    if (this.#isStopped) return;
    const done = work()
      .catch((error: unknown) => this.logUnexpected(error))
      .then(() => void this.#working.delete(done));
    this.#working.add(done);
  }

  /** Starts no more work and waits for what is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#working);
  }

  /** Logs unexpected errors. An `AppError` from the storage is not logged: the work is retried. */
  logUnexpected(error: unknown): undefined {
    if (!(error instanceof AppError)) this.#log.error({ err: error }, 'this is a bug in svc');
  }
}
