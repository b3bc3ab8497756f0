import type { Kysely } from 'kysely';

/** Notifications to other agents (A2A) that a task waits for an approval, or goes on after it. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('notify_deliveries').addColumn('approval_id', 'text').execute();
}
