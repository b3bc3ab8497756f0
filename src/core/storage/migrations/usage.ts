import { type Kysely, sql } from 'kysely';

/** The ledger of what models used. */
export async function up(db: Kysely<never>): Promise<void> {
  const keys = [
    'day',
    'owner_id',
    'token_id',
    'agent',
    'provider',
    'model',
    'repository',
    'task_id',
    'conversation_id',
  ];
  let table = db.schema.createTable('usage');
  for (const key of keys) table = table.addColumn(key, 'text', (column) => column.notNull());
  for (const count of ['input_tokens', 'output_tokens', 'cached_tokens', 'calls'])
    table = table.addColumn(count, 'integer', (column) => column.notNull());
  await table
    .addColumn('cost_usd', 'real', (column) => column.notNull())
    .addColumn('unknown_calls', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_key', keys as never[])
    .execute();
  await sql`create index usage_by_task on usage (task_id) where task_id <> ''`.execute(db);
  await sql`create index usage_by_owner on usage (owner_id, day)`.execute(db);
}
