import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isInside } from '../../tools/files/real-path.ts';

/**
 * When those syncs of folders began that came to their end, also before a restart: what changed later may not be in the
 * index as it is. Of a folder without one, nobody knows what is missing.
 */
export class SyncedFolders {
  readonly #times: Map<string, number>;
  readonly #statements: Record<'put' | 'remove', StatementSync>;

  constructor(database: DatabaseSync) {
    const rows = database.prepare('select folder, began_at from synced_folders').all();
    this.#times = new Map(rows.map((row) => [String(row['folder']), Number(row['began_at'])]));
    this.#statements = {
      put: database.prepare('insert or replace into synced_folders (folder, began_at) values (?, ?)'),
      remove: database.prepare('delete from synced_folders where folder = ?'),
    };
  }

  /** Milliseconds since 1970; undefined where no sync of the folder, or of one around it, came to its end. */
  at(folder: string): number | undefined {
    const times = [...this.#times].filter(([synced]) => isInside(synced, folder)).map(([, at]) => at);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** A sync that began then has come to its end. */
  completed(folder: string, beganAt: number): void {
    for (const [inner, at] of this.#times)
      if (inner !== folder && at <= beganAt && isInside(folder, inner)) this.#remove(inner);
    this.#put(folder, beganAt);
  }

  /** What is below none of these folders is not in the index any more. */
  keepOnly(folders: string[]): void {
    for (const [synced, at] of this.#times) {
      if (folders.some((folder) => isInside(folder, synced))) continue;
      for (const folder of folders)
        if (isInside(synced, folder) && (this.at(folder) ?? -Infinity) <= at) this.#put(folder, at);
      this.#remove(synced);
    }
  }

  /** The index is empty, and that is how somebody wants it: only what changes later is missing. */
  cleared(at: number): void {
    for (const folder of this.#times.keys()) this.#put(folder, at);
  }

  #put(folder: string, at: number): void {
    this.#statements.put.run(folder, at);
    this.#times.set(folder, at);
  }

  #remove(folder: string): void {
    this.#statements.remove.run(folder);
    this.#times.delete(folder);
  }
}
