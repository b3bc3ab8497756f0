import type { Kysely } from 'kysely';

/** What decides where a task waits: whether a person waits for it, and whether it may have crashed the daemon. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['interactive', 'suspect', 'forgiven'])
    await db.schema
      .alterTable('tasks')
      .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(0))
      .execute();
  await db.schema.alterTable('tasks').addColumn('crash_log', 'text').execute();
}
