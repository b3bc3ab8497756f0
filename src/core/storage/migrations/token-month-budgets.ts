import type { Kysely } from 'kysely';

/** What an API token may use in a month. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('api_tokens').addColumn('tokens_per_month', 'integer').execute();
  await db.schema.alterTable('api_tokens').addColumn('cost_per_month', 'real').execute();
}
