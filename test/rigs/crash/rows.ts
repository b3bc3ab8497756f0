import { DatabaseSync } from 'node:sqlite';

/** The rows themselves, read beside the daemon, so that what it says can be held against them. */
export class Rows {
  readonly #database: DatabaseSync;
  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  /** Marks this data folder in the environment of child processes. */
  installation(): string {
    const row = this.#database.prepare("select value from state where key = 'installation'").get();
    return String(row?.['value']);
  }

  /** Tasks by one of their columns. */
  countBy(column: 'status' | 'priority' | 'source' | 'agent_type'): Record<string, number> {
    const rows = this.#database
      .prepare(`select ${column} as name, count(*) as n from tasks where ${column} is not null group by 1`)
      .all();
    return Object.fromEntries(rows.map((row) => [String(row['name']), Number(row['n'])]));
  }

  deadLetters(): Record<string, number> {
    const rows = this.#database.prepare('select status, count(*) as n from dead_letters group by 1').all();
    return Object.fromEntries(rows.map((row) => [String(row['status']), Number(row['n'])]));
  }

  /** Keys under which more than one task was stored. */
  doubleKeys(): string[] {
    const rows = this.#database
      .prepare(
        'select idempotency_key from tasks where idempotency_key is not null group by 1 having count(*) > 1',
      )
      .all();
    return rows.map((row) => String(row['idempotency_key']));
  }

  /** What SQLite itself says of the file; `ok` when it is sound. */
  integrity(): string {
    return String(this.#database.prepare('pragma integrity_check(1)').get()?.['integrity_check']);
  }

  close(): void {
    this.#database.close();
  }
}
