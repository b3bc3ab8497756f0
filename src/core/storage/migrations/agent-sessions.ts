import { type Kysely, sql } from 'kysely';

/** The sessions of the agents that keep their own history, and the task whose session another one continues. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('task_sessions')
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('cli_version', 'text')
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_sessions_key', ['task_id', 'agent'])
    .execute();
  await db.schema.alterTable('tasks').addColumn('continues', 'text').execute();
  await db.schema
    .createIndex('tasks_continues')
    .on('tasks')
    .column('continues')
    .where(sql.ref('continues'), 'is not', null)
    .execute();
}
