import { type Kysely, sql } from 'kysely';
import type { DatabaseSpace, TableUse } from '../database.ts';
import type { Schema } from '../schema.ts';

/** Measures the database. Autovacuum reuses the space of removed rows and keeps it. */
export function postgresSpace(read: Kysely<Schema>, location: string): DatabaseSpace {
  let known = 0;
  return {
    read: async () => {
      const { rows } = await sql<{ n: number }>`select pg_database_size(current_database()) as n`.execute(
        read,
      );
      known = Number(rows[0]?.n ?? 0);
      return { location, bytes: known, walBytes: 0, freeBytes: 0, isIncremental: true };
    },
    tables: async () => {
      const { rows } = await sql<TableUse>`
        select relname as name, n_live_tup as rows, pg_total_relation_size(relid) as bytes
        from pg_stat_user_tables where schemaname = current_schema() order by bytes desc, name`.execute(read);
      return rows;
    },
    onDisk: () => ({ databaseBytes: known }),
    giveBack: async () => 0,
    rewrite: async () => undefined,
  };
}
