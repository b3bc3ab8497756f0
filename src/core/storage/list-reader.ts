import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { ListedTable } from './listed-tables.ts';
import type { Schema } from './schema.ts';

/** Where to read a list whose matches are counted: off the event loop if the table may have many rows. */
export async function listReader(
  { read, longRead, engine }: Pick<Database, 'read' | 'longRead' | 'engine'>,
  table: ListedTable,
): Promise<Kysely<Schema>> {
  return (await engine.mayHaveMany(table)) ? longRead : read;
}
