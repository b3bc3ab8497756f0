import { type Kysely, sql } from 'kysely';

/** Indexes for retention, the archives of the audit log, and removed tasks whose events are still to be removed. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table audit_archives (
    last_seq integer primary key, first_seq integer not null, file text not null, entries integer not null,
    bytes integer not null, sha256 text not null, previous_hash text not null, last_hash text not null,
    from_at text not null, to_at text not null, created_at text not null
  )`.execute(db);
  await sql`create table removed_tasks (task_seq integer primary key)`.execute(db);
  await sql`create index source_claims_by_task on source_claims (task_id)`.execute(db);
  await sql`create index gateway_requests_by_task on gateway_requests (task_id)`.execute(db);
  await sql`create index gateway_requests_by_age on gateway_requests (created_at)`.execute(db);
  await sql`create index notify_deliveries_ended on notify_deliveries (ended_at) where ended_at is not null`.execute(
    db,
  );
  await sql`create index approvals_by_task on approvals (task_id) where task_id is not null`.execute(db);
  await sql`create index approvals_by_expiry on approvals (expires_at) where status <> 'pending'`.execute(db);
  await sql`create index notifications_by_age on notifications (created_at)`.execute(db);
  await sql`create index dead_letters_by_age on dead_letters (status, created_at)`.execute(db);
  await sql`create index dead_letters_handled on dead_letters (resolved_at) where status <> 'pending'`.execute(
    db,
  );
  await sql`create index schedules_done on schedules (updated_at) where status = 'done'`.execute(db);
  await sql`create index conversations_by_age on conversations (updated_at)`.execute(db);
}
