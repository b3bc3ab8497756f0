import { type Kysely, sql } from 'kysely';

/** The keys that sign decisions, who decided, and whether what is always allowed was signed. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table signing_keys (
    id text primary key, session_id text not null unique references sessions (id) on delete cascade,
    owner_id text not null, device_id text, algorithm text not null, public_key text not null, name text not null,
    created_at text not null, last_used_at text, removed_at text
  )`.execute(db);
  await sql`create index signing_keys_by_owner on signing_keys (owner_id, id)`.execute(db);
  await db.schema.alterTable('approvals').addColumn('decider', 'text').execute();
  for (const table of ['allowed_calls', 'allowed_tools'])
    await sql`alter table ${sql.table(table)} add column signed integer not null default 0`.execute(db);
}
