import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isInside } from '../../tools/files/real-path.ts';

/** Files that somebody took out of the index: they stay out until they change, or their folder is synced. */
export class ForgottenFiles {
  /** By path, when the file had changed last. */
  readonly #changes: Map<string, number>;
  readonly #statements: Record<'put' | 'remove', StatementSync>;

  constructor(database: DatabaseSync) {
    const rows = database.prepare('select path, changed_at from forgotten_files').all();
    this.#changes = new Map(rows.map((row) => [String(row['path']), Number(row['changed_at'])]));
    this.#statements = {
      put: database.prepare('insert or replace into forgotten_files (path, changed_at) values (?, ?)'),
      remove: database.prepare('delete from forgotten_files where path = ?'),
    };
  }

  add(path: string, changedAt: number): void {
    this.#statements.put.run(path, changedAt);
    this.#changes.set(path, changedAt);
  }

  /** Whether the file was taken out as it is. */
  has(path: string, changedAt: number): boolean {
    return this.#changes.get(path) === changedAt;
  }

  /** A folder was synced, or all of them are emptied. */
  forget(folder: string): void {
    for (const path of this.#changes.keys()) {
      if (!isInside(folder, path)) continue;
      this.#statements.remove.run(path);
      this.#changes.delete(path);
    }
  }
}
