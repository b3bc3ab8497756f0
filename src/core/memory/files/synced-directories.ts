import type { DatabaseSync } from 'node:sqlite';
import { isInside } from '../../paths/real-path.ts';
import { StoredTimes } from './stored-times.ts';

/**
 * When those syncs of folders began that came to their end, also before a restart: what changed later may not be in the
 * index as it is. Of a folder without one, nobody knows what is missing.
 */
export class SyncedFolders {
  readonly #times: StoredTimes;
  constructor(database: DatabaseSync) {
    this.#times = new StoredTimes(database, 'synced_folders');
  }

  /** Milliseconds since 1970; undefined where no sync of the folder, or of one around it, came to its end. */
  lastSyncedAt(folder: string): number | undefined {
    const times = [...this.#times].filter(([synced]) => isInside(synced, folder)).map(([, at]) => at);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** A sync that began then has come to its end. */
  recordCompleted(folder: string, beganAt: number): void {
    for (const [inner, at] of this.#times)
      if (inner !== folder && at <= beganAt && isInside(folder, inner)) this.#times.delete(inner);
    this.#times.set(folder, beganAt);
  }

  /** What is below none of these folders is not in the index any more. */
  keepOnly(folders: string[]): void {
    for (const [synced, at] of this.#times) {
      if (folders.some((folder) => isInside(folder, synced))) continue;
      for (const folder of folders)
        if (isInside(synced, folder) && (this.lastSyncedAt(folder) ?? -Infinity) <= at) this.#times.set(folder, at);
      this.#times.delete(synced);
    }
  }

  /** The index is empty, and that is how somebody wants it: only what changes later is missing. */
  recordCleared(at: number): void {
    for (const [folder] of this.#times) this.#times.set(folder, at);
  }
}
