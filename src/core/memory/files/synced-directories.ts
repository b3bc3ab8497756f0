import type { DatabaseSync } from 'node:sqlite';
import { isInside } from '../../paths/real-path.ts';
import { StoredTimes } from './stored-times.ts';

/**
 * Start times of completed directory syncs, kept across restarts: later changes may be missing from the index. Without
 * an entry it is unknown what is missing.
 */
export class SyncedDirectories {
  readonly #times: StoredTimes;
  constructor(database: DatabaseSync) {
    this.#times = new StoredTimes(database, 'synced_folders');
  }

  /** Milliseconds since 1970; undefined when no sync of the directory or of a parent was completed. */
  lastSyncedAt(directory: string): number | undefined {
    const times = [...this.#times].filter(([synced]) => isInside(synced, directory)).map(([, at]) => at);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Records a completed sync by its start time. */
  recordCompleted(directory: string, startedAt: number): void {
    for (const [inner, at] of this.#times)
      if (inner !== directory && at <= startedAt && isInside(directory, inner)) this.#times.delete(inner);
    this.#times.set(directory, startedAt);
  }

  /** Drops directories that are no longer indexed. */
  keepOnly(directories: string[]): void {
    for (const [synced, at] of this.#times) {
      if (directories.some((directory) => isInside(directory, synced))) continue;
      for (const directory of directories)
        if (isInside(synced, directory) && (this.lastSyncedAt(directory) ?? -Infinity) <= at)
          this.#times.set(directory, at);
      this.#times.delete(synced);
    }
  }

  /** Records that a user cleared the index: only later changes are missing. */
  recordCleared(at: number): void {
    for (const [directory] of this.#times) this.#times.set(directory, at);
  }
}
