import type { Kysely } from 'kysely';

/** How often and since when the runs of a task end because a service is away. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('tasks')
    .addColumn('outages', 'integer', (definition) => definition.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('tasks').addColumn('outage_since', 'text').execute();
}
