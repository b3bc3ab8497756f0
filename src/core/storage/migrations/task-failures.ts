import { type Kysely, sql } from 'kysely';

/** Whether a command that exits with an error is run again, and whether a client follows the task to its end. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['retry_on_failure', 'attached'])
    await db.schema
      .alterTable('tasks')
      .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(0))
      .execute();
  // What was promised when they were created still holds for unfinished tasks.
  await sql`update tasks set retry_on_failure = 1 where status in ('pending', 'queued', 'in_progress')`.execute(
    db,
  );
}
