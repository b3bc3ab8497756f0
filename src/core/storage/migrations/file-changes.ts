import { type Kysely, sql } from 'kysely';

/** The files that runs of models changed, as they were before and after; their contents are files named by their hashes. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table file_changes (
    id integer primary key, run_id text not null, task_id text, conversation_id text,
    root text not null, path text, before_hash text, before_mode integer, after_hash text, after_mode integer,
    made_directory text, unkept text, is_done integer not null, created_at text not null, undone_at text
  )`.execute(db);
  await sql`create index file_changes_by_task on file_changes (task_id) where task_id is not null`.execute(
    db,
  );
  await sql`create index file_changes_by_conversation on file_changes (conversation_id)
    where conversation_id is not null`.execute(db);
  await sql`create index file_changes_by_age on file_changes (created_at)`.execute(db);
  await sql`create index file_changes_by_before on file_changes (before_hash) where before_hash is not null`.execute(
    db,
  );
  await sql`create index file_changes_by_after on file_changes (after_hash) where after_hash is not null`.execute(
    db,
  );
}
