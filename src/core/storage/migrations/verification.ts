import { type Kysely, sql } from 'kysely';

/** What verifies a task, what its agent may use and has to answer, and which experiences were learned from a verified one. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['verify', 'model', 'provider', 'max_cost_usd', 'output_schema'])
    await db.schema.alterTable('tasks').addColumn(column, 'text').execute();
  for (const column of ['repair', 'max_steps', 'max_budget'])
    await db.schema.alterTable('tasks').addColumn(column, 'integer').execute();
  await db.schema
    .alterTable('experiences')
    .addColumn('is_verified', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update experiences set is_verified = 1 where origin = 'user'`.execute(db);
}
