import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { type Compilable, type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { storableValues } from '../storable-text.ts';
import type { RowSink, Values } from '../write-buffer.ts';
import type { CountingDatabase } from './sqlite-dialect.ts';

/** Statements per table; rows that set other columns are written with a new one. */
const MAX_INSERTS = 16;

type Table = keyof Schema;

interface Insert {
  columns: readonly string[];
  statement: StatementSync;
}
interface Query {
  statement: StatementSync;
  isRead: boolean;
}

/**
 * Writes rows with statements that are prepared once, at a fraction of what a query costs. A row at a time: SQLite takes
 * longer for one statement with many rows.
 */
export class RowStatements implements RowSink {
  readonly #native: CountingDatabase;
  readonly #db: Kysely<Schema>;
  /** A few for each table: most of its rows set the same columns. */
  readonly #inserts = new Map<Table, Insert[]>();
  readonly #additions = new Map<string, StatementSync>();
  readonly #queries = new Map<string, Query>();

  constructor(native: CountingDatabase, db: Kysely<Schema>) {
    this.#native = native;
    this.#db = db;
  }

  /**
   * Nulls are left out, which is faster: a column that may be null has no other default. Throws the error of node:sqlite.
   */
  insert(table: Table, row: Values): void {
    let inserts = this.#inserts.get(table);
    if (!inserts) this.#inserts.set(table, (inserts = []));
    for (const { columns, statement } of inserts) {
      const values = valuesOf(row, columns);
      if (values) return this.#run(statement, values);
    }
    const set = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
    const statement = this.#prepare(this.#db.insertInto(table).values(set));
    if (inserts.length >= MAX_INSERTS) inserts.pop();
    inserts.unshift({ columns: Object.keys(set), statement });
    this.#run(statement, Object.values(set));
  }

  /** Adds the amounts to the row with this key, or creates it with them. Throws the error of node:sqlite. */
  add(table: Table, key: Values, amounts: Record<string, number>): void {
    const keys = Object.keys(key);
    const columns = Object.keys(amounts);
    const name = `${table} ${keys.join()} ${columns.join()}`;
    let statement = this.#additions.get(name);
    if (!statement) {
      const sums = Object.fromEntries(
        columns.map((column) => [
          column,
          sql`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
        ]),
      );
      statement = this.#prepare(
        this.#db
          .insertInto(table)
          .values({ ...key, ...amounts })
          .onConflict((conflict) => conflict.columns(keys as never[]).doUpdateSet(sums)),
      );
      this.#additions.set(name, statement);
    }
    this.#run(statement, [...Object.values(key), ...Object.values(amounts)]);
  }

  /** The rows of a query that was compiled once; of those there are few. Throws the error of node:sqlite. */
  rows<R>({ sql: text, parameters }: CompiledQuery<R>): R[] {
    let query = this.#queries.get(text);
    if (!query) {
      query = { statement: this.#native.database.prepare(text), isRead: /^select\b/i.test(text) };
      this.#queries.set(text, query);
    }
    if (!query.isRead) this.#native.writes++;
    return query.statement.all(...(storableValues(parameters) as SQLInputValue[])) as R[];
  }

  #prepare(query: Compilable): StatementSync {
    return this.#native.database.prepare(query.compile().sql);
  }

  #run(statement: StatementSync, values: unknown[]): void {
    this.#native.writes++;
    statement.run(...(storableValues(values) as SQLInputValue[]));
  }
}

/** The values of a row that sets exactly these columns in this order, and is null in all others. */
function valuesOf(row: Values, columns: readonly string[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const column in row) {
    const value = row[column];
    if (value === null) continue;
    if (column !== columns[values.length]) return undefined;
    values.push(value);
  }
  return values.length === columns.length ? values : undefined;
}
