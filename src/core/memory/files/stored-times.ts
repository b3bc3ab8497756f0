import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A table of times by path, in milliseconds since 1970, mirrored in memory. */
export class StoredTimes {
  readonly #times: Map<string, number>;
  readonly #statements: Record<'put' | 'remove', StatementSync>;

  constructor(database: DatabaseSync, table: 'synced_folders' | 'forgotten_files') {
    const rows = database.prepare(`select path, at from ${table}`).all();
    this.#times = new Map(rows.map((row) => [String(row['path']), Number(row['at'])]));
    this.#statements = {
      put: database.prepare(`insert or replace into ${table} (path, at) values (?, ?)`),
      remove: database.prepare(`delete from ${table} where path = ?`),
    };
  }

  get(path: string): number | undefined {
    return this.#times.get(path);
  }

  [Symbol.iterator](): MapIterator<[path: string, at: number]> {
    return this.#times.entries();
  }

  set(path: string, at: number): void {
    this.#statements.put.run(path, at);
    this.#times.set(path, at);
  }

  delete(path: string): void {
    this.#statements.remove.run(path);
    this.#times.delete(path);
  }
}
