import { type Kysely, sql } from 'kysely';

/** Tasks of other agents (A2A) with their context and message, and what notifications to them carry. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['context_id', 'message'])
    await db.schema.alterTable('gateway_requests').addColumn(column, 'text').execute();
  for (const column of ['config_id', 'context_id', 'headers'])
    await db.schema.alterTable('notify_deliveries').addColumn(column, 'text').execute();
  await sql`create index gateway_requests_of_agents on gateway_requests (owner_id, context_id)
    where context_id is not null`.execute(db);
}
