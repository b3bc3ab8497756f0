import type { Kysely } from 'kysely';

/** Webhooks that send plain text, tokens for their receivers, and deliveries about approvals. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('format', 'text', (definition) => definition.notNull().defaultTo('json'))
    .execute();
  await db.schema.alterTable('webhooks').addColumn('token', 'text').execute();
  await db.schema.alterTable('webhook_deliveries').addColumn('approval_id', 'text').execute();
}
