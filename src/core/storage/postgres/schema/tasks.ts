/**
 * Tasks with their events, counters and ends, and what plans and publishes them.
 *
 * There is one index per state and none over `status`: while a table is young, PostgreSQL would plan the guarded move of
 * a task (`id = … and status = …`) over such an index, and a prepared plan stays.
 */
export const taskTables = `
  create table tasks (
    seq bigint primary key, id text not null unique, owner_id text not null, title text not null,
    status text not null, priority bigint not null, source text not null, source_id text, source_url text,
    repository text, branch text, labels text not null, assigned_agent text, agent_type text,
    attempts bigint not null default 0, max_attempts bigint not null, crashes bigint not null default 0,
    may_command bigint not null default 0, held bigint not null default 0, fence bigint not null default 0,
    lease_owner text, lease_until text, event_seq bigint not null default 0, created_at text not null,
    updated_at text not null, started_at text, completed_at text, scheduled_for text, retried_from text,
    idempotency_key text, cwd text, error text, metadata text, description text, prompt text, result text,
    security_mode text, is_trusted bigint not null default 1, interactive bigint not null default 0,
    suspect bigint not null default 0, forgiven bigint not null default 0, crash_log text,
    retry_on_failure bigint not null default 0, attached bigint not null default 0, verify text, model text,
    provider text, max_cost_usd text, output_schema text, repair bigint, max_steps bigint, max_budget bigint,
    env text, env_names text, umask bigint, memory_scope text, outages bigint not null default 0,
    outage_since text, max_time_ms bigint, worktree text, continues text, best_of text, parent_id text,
    choice text, token_id text, agent_rule text
  ) with (fillfactor = 85, autovacuum_analyze_scale_factor = 0.02);
  create index tasks_by_agent on tasks (coalesce(agent_type, assigned_agent), created_at, seq);
  create index tasks_by_branch on tasks (repository, branch) where branch is not null;
  create index tasks_by_creation on tasks (created_at, seq);
  create index tasks_by_directory on tasks (cwd, created_at, owner_id) where cwd is not null;
  create index tasks_by_end on tasks (completed_at, seq) where completed_at is not null;
  create index tasks_by_origin on tasks (source, created_at, seq);
  create index tasks_by_owner on tasks (owner_id, created_at, seq);
  create index tasks_by_priority on tasks (priority, created_at, seq);
  create index tasks_by_repository on tasks (repository, created_at, seq) where repository is not null;
  create index tasks_by_source on tasks (source_id) where source_id is not null;
  create index tasks_pending on tasks (created_at, seq) where status = 'pending';
  create index tasks_queued on tasks (created_at, seq) where status = 'queued';
  create index tasks_in_progress on tasks (created_at, seq) where status = 'in_progress';
  create index tasks_completed on tasks (created_at, seq) where status = 'completed';
  create index tasks_failed on tasks (created_at, seq) where status = 'failed';
  create index tasks_cancelled on tasks (created_at, seq) where status = 'cancelled';
  create index tasks_due on tasks (priority, created_at, seq) where status = 'queued';
  create index tasks_leased on tasks (lease_until) where status = 'in_progress';
  create index tasks_by_update on tasks (updated_at, seq);
  create index tasks_continues on tasks (continues) where continues is not null;
  create index tasks_parent on tasks (parent_id) where parent_id is not null;
  -- What is known of a young table would be too little: the statistics of this schema are better.
  alter table tasks set (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
  -- Each value is the first of 1,000 numbers that one daemon gives to tasks.
  create sequence task_seq increment by 1000;

  create table task_events (
    task_seq bigint not null, seq bigint not null, type text not null, at text not null, message text not null,
    data text not null, primary key (task_seq, seq)
  );

  create table task_counts (
    owner_id text not null, status text not null, priority bigint not null, source text not null,
    agent text not null, n bigint not null, duration bigint not null,
    primary key (owner_id, status, priority, source, agent)
  ) with (fillfactor = 50);

  create table task_days (
    owner_id text not null, day text not null, created bigint not null, completed bigint not null,
    failed bigint not null, primary key (owner_id, day)
  ) with (fillfactor = 50);

  create table task_labels (
    label text not null, created_at text not null, task_seq bigint not null,
    primary key (label, created_at, task_seq)
  );

  -- Apart from the tasks, whose rows and indexes would all be written again when their words are stored.
  create table task_words (task_seq bigint primary key, words tsvector);
  create index task_words_by_word on task_words using gin (words);
  create index task_words_missing on task_words (task_seq) where words is null;

  create table removed_tasks (task_seq bigint primary key);

  create table idempotency_keys (
    owner_id text not null, scope text not null, key text not null, body_hash text not null, answer text not null,
    created_at text not null, primary key (owner_id, scope, key)
  );
  create index idempotency_keys_by_age on idempotency_keys (created_at);

  create table dead_letters (
    id text primary key, task_id text not null, owner_id text not null, title text not null,
    attempts bigint not null, class text not null, first_error text not null, last_error text not null,
    status text not null, resolution text, note text, created_at text not null, resolved_at text
  );
  create index dead_letters_by_age on dead_letters (status, created_at);
  create index dead_letters_by_status on dead_letters (status, id);
  create index dead_letters_by_task on dead_letters (task_id);
  create index dead_letters_handled on dead_letters (resolved_at) where status <> 'pending';

  create table task_sessions (
    task_id text not null, agent text not null, session_id text not null, cwd text not null, cli_version text,
    updated_at text not null, primary key (task_id, agent)
  );

  create table worktrees (
    task_id text primary key, repository text not null, checkout text not null, path text not null,
    subdirectory text not null, branch text not null, base text not null, port_base bigint, state text not null,
    created_at text not null
  );
  create unique index worktrees_by_port on worktrees (port_base)
    where port_base is not null and state <> 'discarded';

  create table pull_requests (
    task_id text primary key, repository text not null, branch text not null, pushed_commit text not null,
    number bigint, url text, account text not null, follow_ups bigint not null default 0, updated_at text not null
  );
  create index pull_requests_by_branch on pull_requests (branch);

  create table follow_ups (
    task_id text primary key, worktree_task_id text not null, pushes bigint not null
  );

  create table publications (
    id text primary key, task_id text not null, options text not null, outcome text, requested_at text not null
  );
  create index publications_by_task on publications (task_id);

  create table schedules (
    id text primary key, owner_id text not null, name text not null, cron text, at text, timezone text not null,
    task text not null, may_command bigint not null, overlap text not null, catch_up text not null,
    max_failures bigint not null, status text not null, paused_reason text, next_run_at text,
    planned_at text not null, last_run_at text, last_task_id text, open_task_id text,
    run_count bigint not null default 0, skipped_count bigint not null default 0,
    misfire_count bigint not null default 0, failure_count bigint not null default 0,
    waiting_count bigint not null default 0, revision bigint not null default 0, created_at text not null,
    updated_at text not null, env text, env_names text
  );
  create index schedules_by_owner on schedules (owner_id, id);
  create index schedules_done on schedules (updated_at) where status = 'done';
  create index schedules_due on schedules (next_run_at, id) where next_run_at is not null;
  create index schedules_open on schedules (open_task_id) where open_task_id is not null;
`;
