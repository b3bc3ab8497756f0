import { NewestRead } from '../async/newest-read.ts';
import type { PendingEntry } from '../audit/pending-entry.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { readState, writeState } from '../storage/state.ts';
import type { Database } from '../storage/database.ts';

const KEY = 'queue_paused';

/** Whether tasks may start; the answer outlives the daemon. Pausing is the core's, so that no queue needs to know it. */
export class QueuePause {
  readonly #database: Database;
  readonly #bus: EventBus;
  #isPaused: boolean;
  readonly #reads = new NewestRead();

  private constructor(database: Database, bus: EventBus, isPaused: boolean) {
    this.#database = database;
    this.#bus = bus;
    this.#isPaused = isPaused;
  }

  static async load(database: Database, bus: EventBus): Promise<QueuePause> {
    return new QueuePause(database, bus, await isStored(database));
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Follows what other daemons do; calls back when one of them has resumed. */
  followOthers(onResume: () => void, reportBug: (error: unknown) => void): void {
    const again = () =>
      void this.#readAgain(onResume).catch((error: unknown) => {
        // The next look tries again.
        if (!(error instanceof AppError)) reportBug(error);
      });
    this.#bus.onRemote('pause_changed', again);
    this.#bus.onGap(again);
  }

  async #readAgain(onResume: () => void): Promise<void> {
    const isPaused = await this.#reads.newest(() => isStored(this.#database));
    if (isPaused === undefined) return;
    const wasPaused = this.#isPaused;
    this.#isPaused = isPaused;
    if (wasPaused && !this.#isPaused) onResume();
  }

  async set(isPaused: boolean, auditEntry?: PendingEntry): Promise<void> {
    await this.#database.write(async (transaction) => {
      await writeState(transaction.db, KEY, String(isPaused));
      await auditEntry?.append(transaction);
    });
    this.#reads.outdate();
    this.#isPaused = isPaused;
    this.#bus.emit('queue', undefined);
    this.#bus.emit('pause_changed', undefined);
  }
}

const isStored = async ({ read }: Pick<Database, 'read'>) => (await readState(read, KEY)) === 'true';
