import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { QueryConfig, QueryResult } from 'pg';

/** What runs one statement; a connection, or a pool of them. */
export type RunStatement = (statement: QueryConfig) => Promise<QueryResult>;

const MAX_NAMES = 500;
const isPage = /\blimit\b/i;
const isRead = /^\s*(select|with)\b/i;
const changes = new Set(['INSERT', 'UPDATE', 'DELETE']);

/**
 * Names statements by their text, so that each connection parses and plans them once. Pages of lists stay unnamed, to be
 * planned for their values: the tasks of a user with few are found in another index than those of one with most of them.
 * So do texts that come late: those with a list of every length would fill the server.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #given = 0;
  readonly #isOn: boolean;

  /** Off behind a pooler that gives each transaction another connection. */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  of(text: string): { name?: string } {
    if (!this.#isOn) return {};
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= MAX_NAMES || isPage.test(text)) return {};
    const name = `s${this.#given++}`;
    this.#names.set(text, name);
    return { name };
  }

  /** Gives new names from now on, so that all statements are parsed and planned again. */
  renew(): void {
    this.#names.clear();
  }
}

/** Kysely's connection over `run`; counts the statements that may have written. */
export class PostgresConnection implements DatabaseConnection {
  writes = 0;
  readonly #run: RunStatement;
  constructor(run: RunStatement) {
    this.#run = run;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery) {
    if (!isRead.test(text)) this.writes++;
    const { rows, rowCount, command } = await this.#run({ text, values: parameters as unknown[] });
    return {
      rows: rows as R[],
      ...(changes.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }

  streamQuery(): never {
    throw new Error('Queries are not streamed');
  }
}

/** Kysely's dialect over one connection object. Transactions are begun by the group commit only. */
export function postgresDialect(connection: DatabaseConnection): Dialect {
  const noTransaction = () => Promise.reject(new Error('Transactions are begun by the group commit'));
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    destroy: async () => undefined,
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
