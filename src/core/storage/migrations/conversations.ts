import { type Kysely, sql } from 'kysely';

/** Creates conversations and messages, and the lookup from a ticket to its task. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table conversations (
    id text primary key, owner_id text not null, title text not null, preset_id text not null, task_id text,
    message_count integer not null, summary text, summary_seq integer not null default 0,
    created_at text not null, updated_at text not null
  )`.execute(db);
  await sql`create index conversations_by_use on conversations (owner_id, updated_at, id)`.execute(db);
  await sql`create index conversations_by_task on conversations (task_id) where task_id is not null`.execute(
    db,
  );
  await sql`create table messages (
    id text not null unique, conversation_id text not null references conversations (id) on delete cascade,
    seq integer not null, role text not null, content text not null, provider text, model text,
    prompt_tokens integer, completion_tokens integer, total_tokens integer, tool_calls text,
    created_at text not null, primary key (conversation_id, seq)
  )`.execute(db);
  await sql`create index tasks_by_source on tasks (source_id) where source_id is not null`.execute(db);
}
