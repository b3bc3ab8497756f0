import { type Kysely, sql } from 'kysely';

/** Settings that the daemons of a cluster share. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table settings (
    key text primary key, value text not null, version integer not null, updated_at text not null, updated_by text
  )`.execute(db);
}
