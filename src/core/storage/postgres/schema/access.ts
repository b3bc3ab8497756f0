/** Who may do what, and how they are notified. */
export const accessTables = `
  create table users (
    id text primary key, email text not null unique, name text not null, role text not null,
    created_at text not null, password_hash text, avatar_url text, bio text, timezone text, locale text,
    onboarding_completed bigint not null default 0, disabled_at text
  );

  create table sessions (
    id text primary key, token_hash text not null unique,
    owner_id text not null references users (id) on delete cascade, kind text not null, role text not null,
    device_id text, user_agent text, address text, created_at text not null, last_seen_at text not null,
    expires_at text
  );
  create index sessions_by_device on sessions (device_id) where device_id is not null;
  create index sessions_by_owner on sessions (owner_id);

  create table signing_keys (
    id text primary key, session_id text not null unique references sessions (id) on delete cascade,
    owner_id text not null, device_id text, algorithm text not null, public_key text not null, name text not null,
    created_at text not null, last_used_at text, removed_at text
  );
  create index signing_keys_by_owner on signing_keys (owner_id, id);

  create table invites (
    id text primary key, code_hash text not null unique, email text, role text not null, created_by text not null,
    created_at text not null, expires_at text not null, used_by text, used_at text
  );

  create table api_tokens (
    id text primary key, owner_id text not null references users (id) on delete cascade, name text not null,
    prefix text not null, device_id text, token_hash text not null unique, scopes text not null,
    created_at text not null, expires_at text, last_used_at text, tokens_per_day bigint,
    cost_per_day double precision
  );
  create index api_tokens_by_owner on api_tokens (owner_id);

  create table one_time_tokens (
    token_hash text primary key, purpose text not null, data text not null, expires_at text not null
  );
  create index one_time_tokens_by_age on one_time_tokens (expires_at);

  create table connections (
    owner_id text not null references users (id) on delete cascade, provider text not null,
    account_id text not null, account text not null, scopes text not null, access_token text not null,
    refresh_token text, expires_at text, created_at text not null, updated_at text not null,
    primary key (owner_id, provider)
  );
  create unique index connections_by_account on connections (account_id) where provider = 'codehost';

  create table devices (
    id text primary key, owner_id text not null references users (id) on delete cascade, name text not null,
    role text not null, public_key text, approved_by text, created_at text not null,
    limited bigint not null default 0
  );
  create index devices_by_key on devices (public_key) where public_key is not null;
  create index devices_by_owner on devices (owner_id);

  create table pairing_requests (
    id text primary key, secret_hash text not null unique, claim_hash text unique, code_hash text not null unique,
    requester_id text not null, meta text not null, public_key text, address text, status text not null,
    created_by text, created_at text not null, expires_at text not null, decided_at text, decided_by text,
    device_id text, role text, reason text, delivered_at text, approver_label text,
    limited bigint not null default 0
  );
  create index pairing_requests_by_age on pairing_requests (expires_at);

  create table used_nonces (nonce_hash text primary key, expires_at text not null);
  create index used_nonces_by_age on used_nonces (expires_at);

  create table notifications (
    id text primary key, owner_id text not null, type text not null, title text not null, message text not null,
    task_id text, data text not null, created_at text not null, read_at text
  );
  create index notifications_by_age on notifications (created_at);
  create index notifications_by_owner on notifications (owner_id, id);

  create table push_subscriptions (
    id text primary key, owner_id text not null, session_id text not null unique, device_id text,
    endpoint text not null, endpoint_hash text not null unique, p256dh text not null, auth text not null,
    kinds text not null, created_at text not null, last_sent_at text, last_error text
  );

  create table push_messages (
    id text primary key, subscription_id text not null, body text not null, topic text not null,
    urgency text not null, expires_at text not null, attempts bigint not null, next_attempt_at text not null
  );
  create index push_messages_by_subscription on push_messages (subscription_id, next_attempt_at);
`;
