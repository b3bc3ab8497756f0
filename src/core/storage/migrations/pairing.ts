import { type Kysely, sql } from 'kysely';

/** What the approver of a pairing request called themselves. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table pairing_requests add column approver_label text`.execute(db);
}
