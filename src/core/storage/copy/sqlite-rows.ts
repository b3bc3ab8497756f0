import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { CopiedTable } from './copied-tables.ts';
import {
  bytesOf,
  FULL_BYTES,
  insertInto,
  MAX_ROWS,
  type Row,
  type RowStore,
  selectAll,
  selectCount,
} from './row-store.ts';

/** The rows of an open SQLite database. */
export class SqliteRows implements RowStore {
  readonly #native: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();
  constructor(native: DatabaseSync) {
    this.#native = native;
  }

  async count(table: CopiedTable): Promise<number> {
    return Number(this.#native.prepare(selectCount(table)).get()?.['n']);
  }

  async *batches(table: CopiedTable): AsyncGenerator<Row[]> {
    const statement = this.#native.prepare(selectAll(table));
    statement.setReturnArrays(true);
    let batch: Row[] = [];
    let bytes = 0;
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<Row>) {
      batch.push(row);
      bytes += bytesOf(row);
      if (batch.length < MAX_ROWS && bytes < FULL_BYTES) continue;
      yield batch;
      await yieldToEventLoop();
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async insert(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    let statement = this.#inserts.get(table.name);
    if (!statement) {
      statement = this.#native.prepare(
        `${insertInto(table)} values (${table.columns.map(() => '?').join()})`,
      );
      this.#inserts.set(table.name, statement);
    }
    for (const row of rows) statement.run(...(row as SQLInputValue[]));
    await yieldToEventLoop();
  }

  fit(_table: CopiedTable, rows: readonly Row[]): readonly Row[] {
    return rows;
  }
}
