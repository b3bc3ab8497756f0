import { type Compilable, type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

type Table = keyof Schema;
type Values = Record<string, unknown>;
interface Addition {
  table: Table;
  key: Values;
  amounts: Record<string, number>;
}

/** Maximum rows per statement: each row count is a separate prepared statement. */
const MAX_ROWS = 64;

/** A position in the buffer, for `undo`. */
export interface Mark {
  rows: number;
  additions: number;
  callbacks: number;
}

/** Collects what a transaction does at its end: inserts, additions and callbacks. */
export class WriteBuffer {
  readonly callbacks: (() => void)[] = [];
  readonly #rows: [table: Table, row: Values][] = [];
  readonly #additions: Addition[] = [];

  insert(table: Table, row: Values): void {
    this.#rows.push([table, row]);
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

  /** Writes everything; `compile` keeps the compiled statements between transactions. */
  async flush(db: Kysely<Schema>, compile: StatementCache): Promise<void> {
    for (const [table, rows] of Map.groupBy(this.#rows, ([name]) => name)) {
      for (let done = 0; done < rows.length;) {
        const part = batchOf(rows.slice(done, done + MAX_ROWS).map(([, row]) => row));
        await db.executeQuery(compile.insert(db, table, part));
        done += part.length;
      }
    }
    for (const { table, key, amounts } of this.#sums()) {
      if (Object.values(amounts).some((amount) => amount !== 0))
        await db.executeQuery(compile.add(db, table, key, amounts));
    }
  }

  /** Merges the additions with the same key. */
  #sums(): Iterable<Addition> {
    const sums = new Map<string, Addition>();
    for (const { table, key, amounts } of this.#additions) {
      const name = `${table}\0${Object.values(key).join('\0')}`;
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

/** The first of the rows that set the same columns: one statement has one list of columns. */
function batchOf(rows: Values[]): Values[] {
  const columns = Object.keys(rows[0] ?? {});
  const end = rows.findIndex((row) => !hasColumns(row, columns));
  return end === -1 ? rows : rows.slice(0, end);
}

/** Whether the row sets these columns in this order; runs for each row that is written, so it makes no list. */
function hasColumns(row: Values, columns: readonly string[]): boolean {
  let count = 0;
  for (const column in row) if (column !== columns[count++]) return false;
  return count === columns.length;
}

/** Compiled inserts and upserts by table, columns and number of rows. */
export class StatementCache {
  readonly #compiled = new Map<string, CompiledQuery>();

  /** The rows set the same columns. */
  insert(db: Kysely<Schema>, table: Table, rows: Values[]): CompiledQuery {
    const columns = Object.keys(rows[0] ?? {});
    const parameters: unknown[] = [];
    for (const row of rows) for (const column of columns) parameters.push(row[column]);
    const name = `insert ${table} ${rows.length} ${columns.join()}`;
    return this.#reuse(name, parameters, () => db.insertInto(table).values(rows));
  }

  add(db: Kysely<Schema>, table: Table, key: Values, amounts: Record<string, number>): CompiledQuery {
    const keys = Object.keys(key);
    const columns = Object.keys(amounts);
    const name = `add ${table} ${keys.join()} ${columns.join()}`;
    const sums = Object.fromEntries(
      columns.map((column) => [
        column,
        sql`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
      ]),
    );
    return this.#reuse(name, [...Object.values(key), ...Object.values(amounts)], () =>
      db
        .insertInto(table)
        .values({ ...key, ...amounts })
        .onConflict((conflict) => conflict.columns(keys as never[]).doUpdateSet(sums)),
    );
  }

  #reuse(name: string, parameters: unknown[], build: () => Compilable): CompiledQuery {
    let compiled = this.#compiled.get(name);
    if (!compiled) this.#compiled.set(name, (compiled = build().compile()));
    return { ...compiled, parameters };
  }
}
