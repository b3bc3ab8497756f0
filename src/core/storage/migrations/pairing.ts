import { type Kysely, sql } from 'kysely';

/** Adds the label that the approver of a pairing request gave. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table pairing_requests add column approver_label text`.execute(db);
}
