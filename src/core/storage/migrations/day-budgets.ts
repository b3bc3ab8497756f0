import type { Kysely } from 'kysely';

/** What was used on each day, the budgets of API tokens, and the token that created a task. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('usage_days')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('tokens', 'integer', (column) => column.notNull())
    .addColumn('cost_usd', 'real', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', ['day', 'scope'])
    .execute();
  await db.schema.alterTable('tasks').addColumn('token_id', 'text').execute();
  await db.schema.alterTable('api_tokens').addColumn('tokens_per_day', 'integer').execute();
  await db.schema.alterTable('api_tokens').addColumn('cost_per_day', 'real').execute();
}
