import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely';
import { storableValues } from '../storable-text.ts';
import { isBusy, whileBusy } from './busy.ts';

const MAX_STATEMENTS = 300;

/** A connection that counts the statements that may have written. */
export interface CountingDatabase {
  database: DatabaseSync;
  writes: number;
}

/**
 * Kysely's SQLite dialect over node:sqlite, with a cache of prepared statements. Errors of statements are passed through
 * `translate`.
 */
export function nodeSqliteDialect(
  connection: CountingDatabase,
  translate: (error: unknown) => unknown = (error) => error,
): SqliteDialect {
  const { database } = connection;
  const statements = new Map<string, Wrapped>();
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        const known = statements.get(sql);
        if (known) return known;
        const [oldest] = statements.keys();
        if (statements.size >= MAX_STATEMENTS && oldest) statements.delete(oldest);
        const prepare = () => wrap(connection, database.prepare(sql), /^\s*select\b/i.test(sql));
        const statement = translating(prepare, translate);
        statements.set(sql, statement);
        return statement;
      },
    },
  });
}

/** The same for a connection that only reads: where another process is in the way, a read waits without the event loop. */
export function patientSqliteDialect(
  connection: CountingDatabase,
  translate: (error: unknown) => unknown,
): SqliteDialect {
  const dialect = nodeSqliteDialect(connection, (error) => (isBusy(error) ? error : translate(error)));
  const createDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => patient(createDriver(), translate);
  return dialect;
}

function patient(driver: Driver, translate: (error: unknown) => unknown): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  // The driver has one connection.
  let patientOne: DatabaseConnection | undefined;
  driver.acquireConnection = async () => (patientOne ??= withPatience(await acquire(), translate));
  return driver;
}

function withPatience(
  connection: DatabaseConnection,
  translate: (error: unknown) => unknown,
): DatabaseConnection {
  return {
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
    executeQuery: <R>(query: CompiledQuery) =>
      connection.executeQuery<R>(query).catch((error: unknown) => {
        if (!isBusy(error)) throw error;
        return whileBusy(() => connection.executeQuery<R>(query)).catch((last: unknown) => {
          throw isBusy(last) ? translate(last) : last;
        });
      }),
  };
}

type Wrapped = ReturnType<typeof wrap>;

/** Translates errors of the statement and of preparing it, because damage may show in the schema first. */
function translating(prepare: () => Wrapped, translate: (error: unknown) => unknown): Wrapped {
  const guarded = <A extends unknown[], R>(call: (...values: A) => R) => {
    return (...values: A): R => {
      try {
        return call(...values);
      } catch (error) {
        throw translate(error);
      }
    };
  };
  const { reader, all, run, iterate } = guarded(prepare)();
  return {
    reader,
    all: guarded(all),
    run: guarded(run),
    iterate: (values) => guardedRows(iterate(values), guarded),
  };
}

function* guardedRows(
  rows: IterableIterator<unknown>,
  guarded: <R>(call: () => R) => () => R,
): IterableIterator<unknown> {
  const next = guarded(() => rows.next());
  try {
    for (let row = next(); !row.done; row = next()) yield row.value;
  } finally {
    rows.return?.();
  }
}

function wrap(connection: CountingDatabase, statement: StatementSync, isRead: boolean) {
  const reader = statement.columns().length > 0;
  const writes = isRead ? 0 : 1;
  return {
    reader,
    all: (values: readonly unknown[]) => {
      connection.writes += writes;
      return statement.all(...(storableValues(values) as SQLInputValue[]));
    },
    run: (values: readonly unknown[]) => {
      connection.writes += writes;
      return statement.run(...(storableValues(values) as SQLInputValue[]));
    },
    iterate: (values: readonly unknown[]) =>
      statement.iterate(...(storableValues(values) as SQLInputValue[])) as IterableIterator<unknown>,
  };
}
