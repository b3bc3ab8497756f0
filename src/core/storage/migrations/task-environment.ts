import type { Kysely } from 'kysely';

/** The environment variables and the umask that the creator of a task gives to its command. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['env', 'env_names'])
    await db.schema.alterTable('tasks').addColumn(column, 'text').execute();
  await db.schema.alterTable('tasks').addColumn('umask', 'integer').execute();
}
