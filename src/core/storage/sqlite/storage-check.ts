import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { StorageFault, StorageFaultKind } from '../storage-fault.ts';
import type { StorageWatch } from './storage-watch.ts';

/** More than small writes need, which a nearly full disk may still accept. */
const TRIAL_CHARACTERS = 256 * 1024;
const TRIAL_EVERY_MS = 1000;
/** Waiting for the lock of another program costs more. */
const LOCK_EVERY_MS = 5000;
/** The maximum time that a health check waits for a trial write. */
const PATIENCE_MS = 500;
const passing = new Set<StorageFaultKind>(['full', 'stuck', 'unavailable', 'read_only']);

/** Checks with trial writes whether the storage has recovered, and whether a nearly full disk still accepts data. */
export class StorageCheck {
  readonly #deps: StorageCheckDeps;
  #triedAt = -Infinity;
  #trying: Promise<void> | undefined;

  constructor(deps: StorageCheckDeps) {
    this.#deps = deps;
  }

  /** The current fault, after a trial write if one is due. */
  async run(): Promise<StorageFault | undefined> {
    const { watch, monotonic } = this.#deps;
    const kind = watch.fault()?.kind;
    const isDoubtful = kind === undefined ? watch.hasLittleRoom() : passing.has(kind);
    const every = kind === undefined || kind === 'stuck' ? LOCK_EVERY_MS : TRIAL_EVERY_MS;
    if ((isDoubtful || kind === undefined) && monotonic() - this.#triedAt >= every) {
      this.#triedAt = monotonic();
      this.#trying ??= this.#try(isDoubtful && kind !== 'stuck').finally(() => (this.#trying = undefined));
      // The health check must not hang with the write.
      await Promise.race([this.#trying, delay(PATIENCE_MS, undefined, { ref: false })]);
    }
    return watch.fault();
  }

  /** A small trial only takes the lock and writes nothing. */
  async #try(isLarge: boolean): Promise<void> {
    const { write, watch, reportBug } = this.#deps;
    try {
      await write(async ({ db }) => {
        if (!isLarge) return;
        const value = 'x'.repeat(TRIAL_CHARACTERS);
        await db.insertInto('state').values({ key: TRIAL, value }).execute();
      });
      if (!isLarge) return;
      watch.hasRoom();
      await write(({ db }) => db.deleteFrom('state').where('key', '=', TRIAL).execute());
    } catch (error) {
      if (!(error instanceof AppError)) reportBug(error);
    }
  }
}

const TRIAL = 'storage_trial';

export interface StorageCheckDeps {
  watch: StorageWatch;
  write: Database['write'];
  monotonic: () => number;
  reportBug: (error: unknown) => void;
}
