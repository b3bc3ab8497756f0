import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { type Compilable, type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';
import type { CountingDatabase } from './sqlite-dialect.ts';

type Table = keyof Schema;
/** The columns of a row. */
export type Values = Record<string, unknown>;

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
export class RowStatements {
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

  /** Throws the error of node:sqlite. */
  insert(table: Table, row: Values): void {
    let inserts = this.#inserts.get(table);
    if (!inserts) this.#inserts.set(table, (inserts = []));
    for (const { columns, statement } of inserts) {
      const values = valuesOf(row, columns);
      if (values) return this.#run(statement, values);
    }
    const columns = Object.keys(row);
    const statement = this.#prepare(this.#db.insertInto(table).values(row));
    inserts.push({ columns, statement });
    this.#run(statement, Object.values(row));
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
    return query.statement.all(...(parameters as SQLInputValue[])) as R[];
  }

  #prepare(query: Compilable): StatementSync {
    return this.#native.database.prepare(query.compile().sql);
  }

  #run(statement: StatementSync, values: unknown[]): void {
    this.#native.writes++;
    statement.run(...(values as SQLInputValue[]));
  }
}

/** The values of a row that sets exactly these columns in this order. */
function valuesOf(row: Values, columns: readonly string[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const column in row) {
    if (column !== columns[values.length]) return undefined;
    values.push(row[column]);
  }
  return values.length === columns.length ? values : undefined;
}
