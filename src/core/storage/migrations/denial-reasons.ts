import type { Kysely } from 'kysely';

/** Why a person denied a call, for its model. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('approvals').addColumn('denial_reason', 'text').execute();
}
