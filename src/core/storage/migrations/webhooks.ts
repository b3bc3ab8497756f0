import { type Kysely, sql } from 'kysely';

const clustered = sql`without rowid`;

/** Creates inbound and outbound webhooks, comments at the source of a task, and schedules. */
export async function up(db: Kysely<never>): Promise<void> {
  await addInbound(db);
  await addOutbound(db);
  await sql`create table schedules (
    id text primary key, owner_id text not null, name text not null, cron text, at text, timezone text not null,
    task text not null, may_command integer not null, overlap text not null, catch_up text not null,
    max_failures integer not null, status text not null, paused_reason text, next_run_at text, planned_at text not null,
    last_run_at text, last_task_id text, open_task_id text, run_count integer not null default 0,
    skipped_count integer not null default 0, misfire_count integer not null default 0,
    failure_count integer not null default 0, waiting_count integer not null default 0,
    revision integer not null default 0, created_at text not null, updated_at text not null
  )`.execute(db);
  await sql`create index schedules_by_owner on schedules (owner_id, id)`.execute(db);
  await sql`create index schedules_due on schedules (next_run_at, id) where next_run_at is not null`.execute(
    db,
  );
  await sql`create index schedules_open on schedules (open_task_id) where open_task_id is not null`.execute(
    db,
  );
}

async function addInbound(db: Kysely<never>): Promise<void> {
  await sql`create table inbound_deliveries (
    id text primary key, provider text not null, delivery_id text not null, body_hash text not null,
    event text not null, action text, status text not null, reason text, task_id text, source_id text, sender text,
    copies integer not null default 1, bytes integer not null, received_at text not null,
    last_received_at text not null, replay_of text, payload text
  )`.execute(db);
  // A manual replay is a separate entry and must not block the sender.
  await sql`create unique index inbound_by_delivery on inbound_deliveries (provider, delivery_id)
    where replay_of is null`.execute(db);
  await sql`create index inbound_by_body on inbound_deliveries (provider, body_hash)`.execute(db);
  await sql`create index inbound_by_age on inbound_deliveries (received_at)`.execute(db);
  await sql`create index inbound_with_payload on inbound_deliveries (received_at) where payload is not null`.execute(
    db,
  );
  await sql`create table source_claims (
    provider text not null, content_key text not null, task_id text not null, claimed_at text not null,
    primary key (provider, content_key)
  ) ${clustered}`.execute(db);
  await sql`create index source_claims_by_age on source_claims (claimed_at)`.execute(db);
  await sql`create index tasks_by_branch on tasks (repository, branch) where branch is not null`.execute(db);
  await sql`create table source_comments (
    task_id text primary key, provider text not null, owner_id text not null, target text not null, comment_id text,
    written text, is_uncertain integer not null default 0, tried text, attempts integer not null default 0,
    next_attempt_at text, last_error text, created_at text not null, ended_at text
  )`.execute(db);
  await sql`create index source_comments_open on source_comments (task_id) where ended_at is null`.execute(
    db,
  );
  await sql`create index source_comments_ended on source_comments (ended_at) where ended_at is not null`.execute(
    db,
  );
  // Only failed tasks can be retried.
  await sql`create index source_comments_failed on source_comments (task_id) where written = 'failed'`.execute(
    db,
  );
}

async function addOutbound(db: Kysely<never>): Promise<void> {
  await sql`create table webhooks (
    id text primary key, owner_id text not null, sees_all integer not null, url text not null, events text not null,
    status text not null, secret text not null, previous_secret text, previous_until text, description text,
    delivery_count integer not null default 0, failure_count integer not null default 0, last_delivery_at text,
    failing_since text, created_at text not null
  )`.execute(db);
  await sql`create index webhooks_by_owner on webhooks (owner_id, id)`.execute(db);
  await sql`create table webhook_deliveries (
    id text primary key, webhook_id text not null, event text not null, task_id text, status text not null,
    attempt integer not null default 0, status_code integer, duration_ms real, at text not null, next_attempt_at text,
    created_at text not null, ended_at text, error text, history text not null default '[]', response_body text,
    body text not null
  )`.execute(db);
  await sql`create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id)`.execute(db);
  await sql`create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id)
    where status = 'pending'`.execute(db);
  await sql`create index webhook_deliveries_ended on webhook_deliveries (webhook_id, ended_at)
    where ended_at is not null`.execute(db);
}
