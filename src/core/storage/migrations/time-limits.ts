import type { Kysely } from 'kysely';

/** How long a run of a task may take. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('max_time_ms', 'integer').execute();
}
