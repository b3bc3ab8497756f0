import type { Collector, WriteTransaction } from './database.ts';
import type { Schema } from './schema.ts';

type Table = keyof Schema;
/** The columns of a row. */
export type Values = Record<string, unknown>;

/** What writes the rows that a transaction kept for its end. */
export interface RowSink {
  insert(table: Table, row: Values): void;
  /** Adds the amounts to the row with this key, or creates it with them. */
  add(table: Table, key: Values, amounts: Record<string, number>): void;
}

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
  collected: number;
}

/** Keeps what a transaction does at its end: inserts, additions, collectors and callbacks. */
export class WriteBuffer {
  readonly callbacks: (() => void)[] = [];
  readonly #rows: { table: Table; row: Values }[] = [];
  readonly #additions: Addition[] = [];
  readonly #collected: { collector: Collector<unknown>; item: unknown }[] = [];

  insert(table: Table, row: Values): void {
    this.#rows.push({ table, row });
  }

  add(table: Table, key: Values, amounts: Record<string, number>): void {
    this.#additions.push({ table, key, amounts });
  }

  collect<I>(collector: Collector<I>, item: I): void {
    this.#collected.push({ collector, item });
  }

  mark(): Mark {
    return {
      rows: this.#rows.length,
      additions: this.#additions.length,
      callbacks: this.callbacks.length,
      collected: this.#collected.length,
    };
  }

  /** Drops everything that was added after the mark. */
  undo(mark: Mark): void {
    this.#rows.length = mark.rows;
    this.#additions.length = mark.additions;
    this.callbacks.length = mark.callbacks;
    this.#collected.length = mark.collected;
  }

  /** Adds what another buffer has collected. */
  append(other: WriteBuffer): void {
    // One by one: an import has more rows than a call takes arguments.
    for (const row of other.#rows) this.#rows.push(row);
    for (const addition of other.#additions) this.#additions.push(addition);
    for (const callback of other.callbacks) this.callbacks.push(callback);
    for (const entry of other.#collected) this.#collected.push(entry);
  }

  /** Lets the collectors store their items; it has to come before `flush`. */
  async storeCollected(db: WriteTransaction['db']): Promise<void> {
    if (this.#collected.length === 0) return;
    const insertLater: WriteTransaction['insertLater'] = (table, row) => this.insert(table, row);
    for (const [collector, entries] of Map.groupBy(this.#collected, (entry) => entry.collector))
      await collector.store(
        { db, insertLater },
        entries.map(({ item }) => item),
      );
  }

  /** Writes everything, in the order in which it came. */
  flush(sink: RowSink): void {
    for (const { table, row } of this.#rows) sink.insert(table, row);
    for (const { table, key, amounts } of this.#sums())
      if (Object.values(amounts).some((amount) => amount !== 0)) sink.add(table, key, amounts);
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
