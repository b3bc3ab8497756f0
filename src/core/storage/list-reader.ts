import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

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
export type ListedTable = (typeof listedTables)[number];

/** Where to read a list whose matches are counted: off the event loop if the table may have many rows. */
export async function listReader(
  { read, longRead, engine }: Pick<Database, 'read' | 'longRead' | 'engine'>,
  table: ListedTable,
): Promise<Kysely<Schema>> {
  return (await engine.mayHaveMany(table)) ? longRead : read;
}
