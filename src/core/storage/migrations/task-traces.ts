import type { Kysely } from 'kysely';

/** The span of a task in the trace of the request that created it. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('trace_context', 'text').execute();
}
