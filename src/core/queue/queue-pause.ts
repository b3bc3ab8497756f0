import type { PendingEntry } from '../audit/pending-entry.ts';
import type { EventBus } from '../events.ts';
import { readState, writeState } from '../storage/state.ts';
import type { Database } from '../storage/database.ts';

const KEY = 'queue_paused';

/** Whether tasks may start; the answer outlives the daemon. Pausing is the core's, so that no queue needs to know it. */
export class QueuePause {
  readonly #database: Database;
  readonly #bus: EventBus;
  #isPaused: boolean;

  private constructor(database: Database, bus: EventBus, isPaused: boolean) {
    this.#database = database;
    this.#bus = bus;
    this.#isPaused = isPaused;
  }

  static async load(database: Database, bus: EventBus): Promise<QueuePause> {
    return new QueuePause(database, bus, (await readState(database.read, KEY)) === 'true');
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  async set(isPaused: boolean, auditEntry?: PendingEntry): Promise<void> {
    await this.#database.write(async (transaction) => {
      await writeState(transaction.db, KEY, String(isPaused));
      await auditEntry?.append(transaction);
    });
    this.#isPaused = isPaused;
    this.#bus.emit('queue', undefined);
  }
}
