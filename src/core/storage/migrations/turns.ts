import type { Kysely } from 'kysely';

/** Which daemon of a cluster has the turn of a conversation, and which one runs a message with tools. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('conversations').addColumn('turn_owner', 'text').execute();
  await db.schema.alterTable('conversations').addColumn('turn_until', 'text').execute();
  await count(db, 'conversations', 'turn_fence');
  await count(db, 'conversations', 'turn_stop');
  await db.schema.alterTable('agent_runs').addColumn('daemon', 'text').execute();
  await count(db, 'agent_runs', 'fence');
}

const count = (db: Kysely<never>, table: string, name: string) =>
  db.schema
    .alterTable(table)
    .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
