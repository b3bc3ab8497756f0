/** What comes from and goes to other services. */
export const integrationTables = `
  create table inbound_deliveries (
    id text primary key, provider text not null, delivery_id text not null, body_hash text not null,
    event text not null, action text, status text not null, reason text, task_id text, source_id text,
    sender text, copies bigint not null default 1, bytes bigint not null, received_at text not null,
    last_received_at text not null, replay_of text, payload text
  );
  create index inbound_by_age on inbound_deliveries (received_at);
  create index inbound_by_body on inbound_deliveries (provider, body_hash);
  create unique index inbound_by_delivery on inbound_deliveries (provider, delivery_id) where replay_of is null;
  create index inbound_with_payload on inbound_deliveries (received_at) where payload is not null;

  create table source_claims (
    provider text not null, content_key text not null, task_id text not null, claimed_at text not null,
    primary key (provider, content_key)
  );
  create index source_claims_by_age on source_claims (claimed_at);
  create index source_claims_by_task on source_claims (task_id);

  create table source_comments (
    task_id text primary key, provider text not null, owner_id text not null, target text not null,
    comment_id text, written text, is_uncertain bigint not null default 0, tried text,
    attempts bigint not null default 0, next_attempt_at text, last_error text, created_at text not null,
    ended_at text
  );
  create index source_comments_ended on source_comments (ended_at) where ended_at is not null;
  create index source_comments_failed on source_comments (task_id) where written = 'failed';
  create index source_comments_open on source_comments (task_id) where ended_at is null;

  create table webhooks (
    id text primary key, owner_id text not null, sees_all bigint not null, url text not null,
    events text not null, status text not null, secret text not null, previous_secret text, previous_until text,
    description text, delivery_count bigint not null default 0, failure_count bigint not null default 0,
    last_delivery_at text, failing_since text, created_at text not null, format text not null default 'json',
    token text
  );
  create index webhooks_by_owner on webhooks (owner_id, id);

  create table webhook_deliveries (
    id text primary key, webhook_id text not null, event text not null, task_id text, status text not null,
    attempt bigint not null default 0, status_code bigint, duration_ms double precision, at text not null,
    next_attempt_at text, created_at text not null, ended_at text, error text, history text not null default '[]',
    response_body text, body text not null, approval_id text
  );
  create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id)
    where status = 'pending';
  create index webhook_deliveries_ended on webhook_deliveries (webhook_id, ended_at) where ended_at is not null;

  create table gateway_requests (
    id text primary key, task_id text not null, owner_id text not null, token_id text not null, workflow text,
    created_at text not null
  );
  create index gateway_requests_by_age on gateway_requests (created_at);
  create index gateway_requests_by_task on gateway_requests (task_id);

  create table notify_deliveries (
    id text primary key, request_id text not null, task_id text not null, token_id text not null,
    url text not null, status text not null, attempts bigint not null default 0, next_attempt_at text, body text,
    last_status bigint, last_error text, created_at text not null, ended_at text
  );
  create index notify_deliveries_by_task on notify_deliveries (task_id);
  create index notify_deliveries_ended on notify_deliveries (ended_at) where ended_at is not null;
  create index notify_deliveries_open on notify_deliveries (status, id) where ended_at is null;
`;
