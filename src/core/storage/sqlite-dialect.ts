import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { SqliteDialect } from 'kysely';

const MAX_STATEMENTS = 300;

/** A connection that counts the statements that may have written. */
export interface CountingDatabase {
  database: DatabaseSync;
  writes: number;
}

/** Kysely's own SQLite dialect over node:sqlite; each text of SQL is prepared once and kept. */
export function nodeSqliteDialect(connection: CountingDatabase): SqliteDialect {
  const { database } = connection;
  const statements = new Map<string, ReturnType<typeof wrap>>();
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        const known = statements.get(sql);
        if (known) return known;
        const [oldest] = statements.keys();
        if (statements.size >= MAX_STATEMENTS && oldest) statements.delete(oldest);
        const statement = wrap(connection, database.prepare(sql), /^\s*select\b/i.test(sql));
        statements.set(sql, statement);
        return statement;
      },
    },
  });
}

function wrap(connection: CountingDatabase, statement: StatementSync, isRead: boolean) {
  const reader = statement.columns().length > 0;
  const writes = isRead ? 0 : 1;
  return {
    reader,
    all: (values: readonly unknown[]) => {
      connection.writes += writes;
      return statement.all(...(values as SQLInputValue[]));
    },
    run: (values: readonly unknown[]) => {
      connection.writes += writes;
      return statement.run(...(values as SQLInputValue[]));
    },
    iterate: (values: readonly unknown[]) =>
      statement.iterate(...(values as SQLInputValue[])) as IterableIterator<unknown>,
  };
}
