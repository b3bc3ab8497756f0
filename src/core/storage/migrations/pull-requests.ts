import { type Kysely, sql } from 'kysely';

/** The branches that were pushed to GitHub with their pull requests, and the tasks that follow their reviews. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table pull_requests (
    task_id text primary key, repository text not null, branch text not null, pushed_commit text not null,
    number integer, url text, account text not null, follow_ups integer not null default 0, updated_at text not null
  )`.execute(db);
  await sql`create index pull_requests_by_branch on pull_requests (branch)`.execute(db);
  await sql`create table follow_ups (
    task_id text primary key, worktree_task_id text not null, pushes integer not null
  )`.execute(db);
}
