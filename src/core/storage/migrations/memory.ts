import { type Kysely, sql } from 'kysely';

/** Creates experiences, preferences and memory sessions. The index of files is a separate database. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table memory_sessions (
    id text primary key, owner_id text not null, name text not null, conversation_id text, status text not null,
    created_at text not null, archived_at text
  )`.execute(db);
  await sql`create index memory_sessions_by_owner on memory_sessions (owner_id, id)`.execute(db);
  await sql`create table experiences (
    id text primary key, owner_id text not null, type text not null, intent text not null, solution text not null,
    success_score real not null, tags text not null, weight real not null, weighed_at text not null,
    use_count integer not null default 0, last_used_at text, content_key text not null,
    origin text not null, origin_user_id text not null, source_task_id text, source_conversation_id text,
    is_trusted integer not null, created_at text not null
  )`.execute(db);
  await sql`create unique index experiences_by_content on experiences (owner_id, content_key)`.execute(db);
  await sql`create index experiences_by_owner on experiences (owner_id, weight, id)`.execute(db);
  await sql`create index experiences_by_weight on experiences (weight, id)`.execute(db);
  await sql`create index experiences_by_weighing on experiences (owner_id, weighed_at)`.execute(db);
  await sql`create table preferences (
    id text primary key, owner_id text not null, category text not null, value text not null,
    category_key text not null, value_key text not null, confidence real not null, count integer not null,
    origin text not null, origin_user_id text not null, source_task_id text, source_conversation_id text,
    is_trusted integer not null, created_at text not null, updated_at text not null
  )`.execute(db);
  await sql`create unique index preferences_by_value on preferences (owner_id, category_key, value_key)`.execute(
    db,
  );
}
