import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** The types of the columns of all tables, as PostgreSQL writes them in an array type. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the types of the columns as they are now. */
export async function readColumnTypes(db: Kysely<Schema>): Promise<ColumnTypes> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select relname as table, attname as column, format_type(atttypid, null) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0
      and not attisdropped`.execute(db);
  const types = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = types.get(table) ?? new Map<string, string>();
    types.set(table, columns.set(column, type));
  }
  return types;
}
