import { type Kysely, sql } from 'kysely';

/** Creates approvals and tool runs, and their columns in tasks and conversations. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table approvals (
    id text primary key, run_id text not null, call_id text not null, owner_id text not null,
    conversation_id text, task_id text, scope_id text not null, tool text not null, arguments text not null,
    cwd text not null, danger text not null, reason text not null, binding text not null, status text not null,
    decision text, requested_at text not null, expires_at text not null, decided_at text, decided_by text,
    used_at text
  )`.execute(db);
  await sql`create index approvals_waiting on approvals (expires_at) where status = 'pending'`.execute(db);
  await sql`create index approvals_by_scope on approvals (scope_id, status)`.execute(db);
  await sql`create index approvals_by_conversation on approvals (conversation_id)
    where conversation_id is not null`.execute(db);
  await sql`create index approvals_by_run on approvals (run_id)`.execute(db);
  await sql`create index approvals_by_owner on approvals (owner_id, requested_at)`.execute(db);
  await sql`create table allowed_tools (
    scope_id text not null, tool text not null, allowed_by text not null, allowed_at text not null,
    primary key (scope_id, tool)
  )`.execute(db);
  await sql`create table agent_runs (
    id text primary key, kind text not null, status text not null, owner_id text not null,
    conversation_id text, task_id text unique, options text not null, state text,
    created_at text not null, updated_at text not null
  )`.execute(db);
  await sql`create index agent_runs_by_conversation on agent_runs (conversation_id)
    where conversation_id is not null`.execute(db);
  await sql`create index agent_runs_with_state on agent_runs (id) where state is not null`.execute(db);
  await sql`create index agent_runs_waiting on agent_runs (status) where status = 'waiting'`.execute(db);
  await sql`alter table tasks add column security_mode text`.execute(db);
  await sql`alter table tasks add column is_trusted integer not null default 1`.execute(db);
  await sql`alter table conversations add column cwd text`.execute(db);
  await sql`alter table audit_log add column call_id text`.execute(db);
}
