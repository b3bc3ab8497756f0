import type { Values, RowStatements } from './sqlite/row-statements.ts';
import type { Schema } from './schema.ts';

type Table = keyof Schema;
interface Addition {
  table: Table;
  key: Values;
  amounts: Record<string, number>;
}

/** A position in the buffer, for `undo`. */
export interface Mark {
  rows: number;
  additions: number;
  callbacks: number;
}

/** Collects what a transaction does at its end: inserts, additions and callbacks. */
export class WriteBuffer {
  readonly callbacks: (() => void)[] = [];
  readonly #rows: { table: Table; row: Values }[] = [];
  readonly #additions: Addition[] = [];

  insert(table: Table, row: Values): void {
    this.#rows.push({ table, row });
  }

  add(table: Table, key: Values, amounts: Record<string, number>): void {
    this.#additions.push({ table, key, amounts });
  }

  mark(): Mark {
    return { rows: this.#rows.length, additions: this.#additions.length, callbacks: this.callbacks.length };
  }

  /** Drops everything that was added after the mark. */
  undo(mark: Mark): void {
    this.#rows.length = mark.rows;
    this.#additions.length = mark.additions;
    this.callbacks.length = mark.callbacks;
  }

  /** Writes everything, in the order in which it came. */
  flush(statements: RowStatements): void {
    for (const { table, row } of this.#rows) statements.insert(table, row);
    for (const { table, key, amounts } of this.#sums())
      if (Object.values(amounts).some((amount) => amount !== 0)) statements.add(table, key, amounts);
  }

  /** Merges the additions with the same key. */
  #sums(): Iterable<Addition> {
    const sums = new Map<string, Addition>();
    for (const { table, key, amounts } of this.#additions) {
      let name: string = table;
      for (const column in key) name += `\0${String(key[column])}`;
      const sum = sums.get(name);
      if (!sum) {
        sums.set(name, { table, key, amounts: { ...amounts } });
        continue;
      }
      for (const column in amounts) sum.amounts[column] = (sum.amounts[column] ?? 0) + (amounts[column] ?? 0);
    }
    return sums.values();
  }
}
