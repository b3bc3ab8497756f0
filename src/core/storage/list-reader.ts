import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/** Rows from which on counting them would hold up other requests: about 5 ms. */
const MANY = 50_000;

/** The tables whose lists say how many rows match; each numbers its rows. */
export const listedTables = [
  'audit_log',
  'conversations',
  'dead_letters',
  'experiences',
  'inbound_deliveries',
  'notifications',
  'webhook_deliveries',
] as const satisfies (keyof Schema)[];

/** Where to read a list whose matches are counted: off the event loop if the table may have many rows. */
export async function listReader(
  { read, longRead }: Pick<Database, 'read' | 'longRead'>,
  table: (typeof listedTables)[number],
): Promise<Kysely<Schema>> {
  const { rows } = await sql<{ n: number | null }>`select max(rowid) as n from ${sql.table(table)}`.execute(
    read,
  );
  return (rows[0]?.n ?? 0) > MANY ? longRead : read;
}
