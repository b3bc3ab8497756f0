import type { Kysely } from 'kysely';

/** The agent that answers in a conversation, and its session. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('conversations').addColumn('agent', 'text').execute();
  await db.schema.alterTable('conversations').addColumn('agent_session', 'text').execute();
}
