import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const flush = promisify(fdatasync);

/**
 * Brings the write-ahead log to the disk beside the event loop. SQLite itself would do it inside the commit, where
 * everything else waits for the disk; here the next group is written meanwhile, and one flush serves all that came
 * before it. Nobody gets an answer before theirs.
 */
export class WalSync {
  readonly #file: number;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(databaseFile: string) {
    this.#file = openSync(`${databaseFile}-wal`, 'r');
  }

  /** Resolves when everything that was written before the call is on the disk. */
  sync(): Promise<void> {
    this.#next ??= this.#afterRunning();
    return this.#next;
  }

  close(): void {
    closeSync(this.#file);
  }

  async #afterRunning(): Promise<void> {
    // A failed flush is told to those who waited for it.
    await this.#running.catch(() => undefined);
    this.#next = undefined;
    this.#running = flush(this.#file);
    await this.#running;
  }
}
