import { type Kysely, sql } from 'kysely';

/** Which transactions of a cluster have committed: what a writer asks when the answer to its commit was lost. */
export async function up(db: Kysely<never>): Promise<void> {
  // Only databases that daemons share have the table.
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'daemons')) return;
  await db.schema
    .createTable('commits')
    .addColumn('writer', 'text', (column) => column.primaryKey())
    .addColumn('transaction_id', 'text', (column) => column.notNull())
    .addColumn('committed_at', 'text', (column) => column.notNull())
    // Each row changes with every commit of its writer.
    .modifyEnd(sql`with (fillfactor = 10)`)
    .execute();
}
