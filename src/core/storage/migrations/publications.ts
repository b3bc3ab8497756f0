import { type Kysely, sql } from 'kysely';

/**
 * Pushes and pull requests that a person has to allow first, and the rule of an administrator that lets an agent work on the
 * text of others.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table publications (
    id text primary key, task_id text not null, options text not null, outcome text, requested_at text not null
  )`.execute(db);
  await sql`create index publications_by_task on publications (task_id)`.execute(db);
  await db.schema.alterTable('tasks').addColumn('agent_rule', 'text').execute();
}
