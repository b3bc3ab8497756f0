import { type Kysely, sql } from 'kysely';

/** Tasks with several candidates, and the candidate that was chosen. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['best_of', 'parent_id', 'choice'])
    await db.schema.alterTable('tasks').addColumn(column, 'text').execute();
  await db.schema
    .createIndex('tasks_parent')
    .on('tasks')
    .column('parent_id')
    .where(sql.ref('parent_id'), 'is not', null)
    .execute();
}
