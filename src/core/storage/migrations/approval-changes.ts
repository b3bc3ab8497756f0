import { type Kysely, sql } from 'kysely';

/** What a call changes in a file, what people change in a call, and what an "always" decides with it. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['diff', 'basis', 'edited', 'context'])
    await db.schema.alterTable('approvals').addColumn(column, 'text').execute();
  await sql`alter table approvals add column coverable integer not null default 0`.execute(db);
}
