import { type Kysely, sql } from 'kysely';

/** Finds the tasks of a directory, and gives schedules the environment variables of their commands. */
export async function up(db: Kysely<never>): Promise<void> {
  // Tasks are found, sorted and counted from this index alone.
  await sql`create index tasks_by_directory on tasks (cwd, created_at, owner_id) where cwd is not null`.execute(
    db,
  );
  for (const column of ['env', 'env_names'])
    await db.schema.alterTable('schedules').addColumn(column, 'text').execute();
}
