import type { DatabaseSync } from 'node:sqlite';
import { isInside } from '../../paths/real-path.ts';
import { StoredTimes } from './stored-times.ts';

/** Files that a user removed from the index. They stay out until they change or their directory is synced. */
export class ForgottenFiles {
  /** The last change of each file. */
  readonly #changes: StoredTimes;
  constructor(database: DatabaseSync) {
    this.#changes = new StoredTimes(database, 'forgotten_files');
  }

  add(path: string, changedAt: number): void {
    this.#changes.set(path, changedAt);
  }

  /** Whether this version of the file was removed. */
  has(path: string, changedAt: number): boolean {
    return this.#changes.get(path) === changedAt;
  }

  /** Called after a directory was synced or the index was cleared. */
  clear(directory: string): void {
    for (const [path] of this.#changes) if (isInside(directory, path)) this.#changes.delete(path);
  }
}
