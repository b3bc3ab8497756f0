import type { Kysely } from 'kysely';

/** Of notifications to other agents (A2A): the approval that caused one, and the version of the protocol it is written in. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['approval_id', 'protocol'])
    await db.schema.alterTable('notify_deliveries').addColumn(column, 'text').execute();
}
