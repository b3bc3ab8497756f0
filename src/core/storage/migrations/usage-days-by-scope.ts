import type { Kysely } from 'kysely';

/** Budgets read the days of one counter before each call of a model; the primary key begins with the day. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex('usage_days_by_scope').on('usage_days').columns(['scope', 'day']).execute();
}
