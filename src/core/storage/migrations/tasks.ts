import { type Kysely, sql } from 'kysely';

/** Rows are stored in key order, which needs one B-tree instead of two. */
const clustered = sql`without rowid`;

/** Creates tasks with their events, counters and dead letters, and the sessions of local mode. */
export async function up(db: Kysely<never>): Promise<void> {
  const schema = db.schema;
  await schema
    .createTable('tasks')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('source_id', 'text')
    .addColumn('source_url', 'text')
    .addColumn('repository', 'text')
    .addColumn('branch', 'text')
    .addColumn('labels', 'text', (column) => column.notNull())
    .addColumn('assigned_agent', 'text')
    .addColumn('agent_type', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('max_attempts', 'integer', (column) => column.notNull())
    .addColumn('crashes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('may_command', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('held', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('fence', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('event_seq', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('completed_at', 'text')
    .addColumn('scheduled_for', 'text')
    .addColumn('retried_from', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('cwd', 'text')
    // The long texts come last: a page of a list then reads none of their overflow pages.
    .addColumn('error', 'text')
    .addColumn('metadata', 'text')
    .addColumn('description', 'text')
    .addColumn('prompt', 'text')
    .addColumn('result', 'text')
    .execute();
  await schema.createIndex('tasks_by_creation').on('tasks').columns(['created_at', 'seq']).execute();
  await schema.createIndex('tasks_by_status').on('tasks').columns(['status', 'created_at', 'seq']).execute();
  await schema.createIndex('tasks_by_owner').on('tasks').columns(['owner_id', 'created_at', 'seq']).execute();
  await sql`create index tasks_by_end on tasks (completed_at, seq) where completed_at is not null`.execute(
    db,
  );

  await sql`create table task_events (
    task_seq integer not null, seq integer not null, type text not null, at text not null,
    message text not null, data text not null, primary key (task_seq, seq)
  ) ${clustered}`.execute(db);

  await schema
    .createTable('task_counts')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('n', 'integer', (column) => column.notNull())
    .addColumn('duration', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_counts_key', ['owner_id', 'status', 'priority', 'source', 'agent'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createTable('task_days')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('created', 'integer', (column) => column.notNull())
    .addColumn('completed', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_days_key', ['owner_id', 'day'])
    .modifyEnd(clustered)
    .execute();

  await schema
    .createTable('idempotency_keys')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['owner_id', 'scope', 'key'])
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at').execute();

  await schema
    .createTable('dead_letters')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('class', 'text', (column) => column.notNull())
    .addColumn('first_error', 'text', (column) => column.notNull())
    .addColumn('last_error', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('resolution', 'text')
    .addColumn('note', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('resolved_at', 'text')
    .execute();
  await schema.createIndex('dead_letters_by_status').on('dead_letters').columns(['status', 'id']).execute();
  await schema.createIndex('dead_letters_by_task').on('dead_letters').column('task_id').execute();

  await schema
    .createTable('notifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('read_at', 'text')
    .execute();
  await schema.createIndex('notifications_by_user').on('notifications').columns(['user_id', 'id']).execute();

  await schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('sessions')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .execute();
  await schema
    .createTable('state')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();

  await sql`create virtual table task_text using fts5(
    title, description, prompt, content = 'tasks', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
  )`.execute(db);
}
