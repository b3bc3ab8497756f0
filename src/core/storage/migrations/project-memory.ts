import type { Kysely } from 'kysely';

/** The project in which an experience was made, and the part of the memory that a task uses. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('experiences').addColumn('project', 'text').execute();
  await db.schema.alterTable('tasks').addColumn('memory_scope', 'text').execute();
}
