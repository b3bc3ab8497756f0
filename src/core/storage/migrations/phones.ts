import { type Kysely, sql } from 'kysely';

/** Devices that may only look, decide and cancel, and the browsers that receive notifications. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['devices', 'pairing_requests'])
    await db.schema
      .alterTable(table)
      .addColumn('limited', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  await sql`create table push_subscriptions (
    id text primary key, owner_id text not null, session_id text not null unique, device_id text, endpoint text not null,
    endpoint_hash text not null unique, p256dh text not null, auth text not null, kinds text not null, created_at text not null,
    last_sent_at text, last_error text
  )`.execute(db);
  await sql`create table push_messages (
    id text primary key, subscription_id text not null, body text not null, topic text not null, urgency text not null,
    expires_at text not null, attempts integer not null, next_attempt_at text not null
  )`.execute(db);
  await sql`create index push_messages_by_subscription on push_messages (subscription_id, next_attempt_at)`.execute(
    db,
  );
}
