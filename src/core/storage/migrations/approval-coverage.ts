import { type Kysely, sql } from 'kysely';

/**
 * What "always" covers, and the scripts of a call. Tools that were allowed as a whole, which people did not ask for, are
 * no longer.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table approvals add column scripts text`.execute(db);
  await sql`alter table approvals add column covers text`.execute(db);
  await sql`alter table approvals add column covers_key text`.execute(db);
  await sql`create table allowed_calls (
    scope_id text not null, covers_key text not null, tool text not null, covers text not null,
    allowed_by text not null, allowed_at text not null, primary key (scope_id, covers_key)
  )`.execute(db);
  await sql`delete from allowed_tools`.execute(db);
  await sql`create index approvals_waiting_by_owner on approvals (owner_id) where status = 'pending'`.execute(
    db,
  );
}
