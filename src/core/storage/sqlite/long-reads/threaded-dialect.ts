import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { storableValues } from '../../storable-text.ts';
import type { ReaderThreads } from './reader-threads.ts';

/** Kysely over reader threads: any number of queries at a time, no transactions. */
export function threadedSqliteDialect(threads: ReaderThreads): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({
      rows: (await threads.run(sql, storableValues(parameters))) as R[],
    }),
    streamQuery: () => {
      throw new Error('Reader threads do not stream');
    },
  };
  const noTransaction = () => Promise.reject(new Error('Reader threads have no transactions'));
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    destroy: () => threads.close(),
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
