import { type Kysely, sql } from 'kysely';

/** Stores how a turn went: its status, its steps, what it cost, and the text that was streamed when the daemon died. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of [
    'status text',
    'error text',
    'finish_reason text',
    'reply_to text',
    'steps text',
    'cost_usd real',
    'context_tokens integer',
    'context_window integer',
  ])
    await sql`alter table messages add column ${sql.raw(column)}`.execute(db);
  await sql`alter table agent_runs add column partial text`.execute(db);
  await sql`create index conversations_by_cwd on conversations (owner_id, cwd, updated_at, id)
    where cwd is not null`.execute(db);
}
