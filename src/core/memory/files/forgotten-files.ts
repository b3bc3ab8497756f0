import type { DatabaseSync } from 'node:sqlite';
import { isInside } from '../../paths/real-path.ts';
import { StoredTimes } from './stored-times.ts';

/** Files that somebody took out of the index: they stay out until they change, or their folder is synced. */
export class ForgottenFiles {
  /** When each had changed last. */
  readonly #changes: StoredTimes;
  constructor(database: DatabaseSync) {
    this.#changes = new StoredTimes(database, 'forgotten_files');
  }

  add(path: string, changedAt: number): void {
    this.#changes.set(path, changedAt);
  }

  /** Whether the file was taken out as it is. */
  has(path: string, changedAt: number): boolean {
    return this.#changes.get(path) === changedAt;
  }

  /** A folder was synced, or all of them are emptied. */
  clear(folder: string): void {
    for (const [path] of this.#changes) if (isInside(folder, path)) this.#changes.delete(path);
  }
}
