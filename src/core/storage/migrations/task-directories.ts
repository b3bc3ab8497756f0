import { type Kysely, sql } from 'kysely';

/** The tasks of a directory are found, sorted and counted from this index alone. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index tasks_by_directory on tasks (cwd, created_at, owner_id) where cwd is not null`.execute(
    db,
  );
}
