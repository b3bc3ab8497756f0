import { type Kysely, sql } from 'kysely';

/** The Git worktrees in which tasks work, and whether a task asked for one. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('worktree', 'text').execute();
  await sql`create table worktrees (
    task_id text primary key, repository text not null, checkout text not null, path text not null,
    subdirectory text not null, branch text not null, base text not null, port_base integer, state text not null,
    created_at text not null
  )`.execute(db);
  await sql`create unique index worktrees_by_port on worktrees (port_base)
    where port_base is not null and state <> 'discarded'`.execute(db);
}
