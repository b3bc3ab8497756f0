import type { Kysely } from 'kysely';

/** Which models an API token may call, and how often. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('api_tokens').addColumn('models', 'text').execute();
  await db.schema.alterTable('api_tokens').addColumn('requests_per_minute', 'integer').execute();
  await db.schema.alterTable('api_tokens').addColumn('tokens_per_minute', 'integer').execute();
}
