import { type Kysely, sql } from 'kysely';

const clustered = sql`without rowid`;

/** Creates accounts, API tokens, devices, gateway requests and the audit log. */
export async function up(db: Kysely<never>): Promise<void> {
  await extendUsers(db);
  await replaceSessions(db);
  await addCredentials(db);
  await addDevices(db);
  await addGateway(db);
  await addAudit(db);
  // Cursors are now signed with a key of the master seed.
  await sql`delete from state where key = 'cursor_key'`.execute(db);
}

async function extendUsers(db: Kysely<never>): Promise<void> {
  for (const column of [
    'password_hash text',
    'avatar_url text',
    'bio text',
    'timezone text',
    'locale text',
    'onboarding_completed integer not null default 0',
    'disabled_at text',
  ])
    await sql`alter table users add column ${sql.raw(column)}`.execute(db);
}

async function replaceSessions(db: Kysely<never>): Promise<void> {
  await sql`create table new_sessions (
    id text primary key, token_hash text not null unique, user_id text not null references users (id) on delete cascade,
    kind text not null, role text not null, device_id text, user_agent text, address text,
    created_at text not null, last_seen_at text not null, expires_at text
  )`.execute(db);
  await sql`insert into new_sessions
    select 'sess_' || lower(hex(randomblob(16))), token_hash, user_id, kind, 'admin', null, null, null,
      created_at, created_at, expires_at from sessions`.execute(db);
  await sql`drop table sessions`.execute(db);
  await sql`alter table new_sessions rename to sessions`.execute(db);
  await sql`create index sessions_by_user on sessions (user_id)`.execute(db);
  await sql`create index sessions_by_device on sessions (device_id) where device_id is not null`.execute(db);
}

async function addCredentials(db: Kysely<never>): Promise<void> {
  await sql`create table invites (
    id text primary key, code_hash text not null unique, email text, role text not null, created_by text not null,
    created_at text not null, expires_at text not null, used_by text, used_at text
  )`.execute(db);
  await sql`create table api_tokens (
    id text primary key, user_id text not null references users (id) on delete cascade, name text not null,
    prefix text not null, device_id text, token_hash text not null unique, scopes text not null,
    created_at text not null, expires_at text, last_used_at text
  )`.execute(db);
  await sql`create index api_tokens_by_user on api_tokens (user_id)`.execute(db);
  await sql`create table one_time_tokens (
    token_hash text primary key, purpose text not null, data text not null, expires_at text not null
  ) ${clustered}`.execute(db);
  await sql`create index one_time_tokens_by_age on one_time_tokens (expires_at)`.execute(db);
  await sql`create table connections (
    user_id text not null references users (id) on delete cascade, provider text not null, account_id text not null,
    account text not null, scopes text not null, access_token text not null, refresh_token text, expires_at text,
    created_at text not null, updated_at text not null, primary key (user_id, provider)
  )`.execute(db);
  // A vendor account signs in one user; a tracker account may be connected by several.
  await sql`create unique index connections_by_account on connections (account_id) where provider = 'codehost'`.execute(
    db,
  );
}

async function addDevices(db: Kysely<never>): Promise<void> {
  await sql`create table devices (
    id text primary key, user_id text not null references users (id) on delete cascade, name text not null,
    role text not null, public_key text, approved_by text, created_at text not null
  )`.execute(db);
  await sql`create index devices_by_user on devices (user_id)`.execute(db);
  await sql`create index devices_by_key on devices (public_key) where public_key is not null`.execute(db);
  await sql`create table pairing_requests (
    id text primary key, secret_hash text not null unique, claim_hash text unique, code_hash text not null unique,
    requester_id text not null, meta text not null, public_key text, address text, status text not null,
    created_by text, created_at text not null, expires_at text not null, decided_at text, decided_by text,
    device_id text, role text, reason text, delivered_at text
  )`.execute(db);
  await sql`create index pairing_requests_by_age on pairing_requests (expires_at)`.execute(db);
  await sql`create table used_nonces (nonce_hash text primary key, expires_at text not null) ${clustered}`.execute(
    db,
  );
  await sql`create index used_nonces_by_age on used_nonces (expires_at)`.execute(db);
}

async function addGateway(db: Kysely<never>): Promise<void> {
  await sql`create table gateway_requests (
    id text primary key, task_id text not null, user_id text not null, token_id text not null, workflow text,
    created_at text not null
  )`.execute(db);
  await sql`create table notify_deliveries (
    id text primary key, request_id text not null, task_id text not null, token_id text not null, url text not null,
    status text not null, attempts integer not null default 0, next_attempt_at text, body text, last_status integer,
    last_error text, created_at text not null, ended_at text
  )`.execute(db);
  await sql`create index notify_deliveries_by_task on notify_deliveries (task_id)`.execute(db);
  await sql`create index notify_deliveries_open on notify_deliveries (status, id) where ended_at is null`.execute(
    db,
  );
}

async function addAudit(db: Kysely<never>): Promise<void> {
  await sql`create table audit_log (
    seq integer primary key, id text not null unique, at text not null, kind text not null, tool text not null,
    user_id text, conversation_id text, task_id text, address text, arguments text not null, result text not null,
    approved integer, decision text, previous_hash text not null, hash text not null
  )`.execute(db);
  await sql`create index audit_log_by_user on audit_log (user_id, seq)`.execute(db);
  await sql`create index audit_log_by_tool on audit_log (tool, seq)`.execute(db);
}
