import { type Kysely, sql } from 'kysely';

/** Renames the column of the owner to `owner_id` in every table; `user_id` stays for the actor in the audit log. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of [
    'sessions',
    'api_tokens',
    'connections',
    'devices',
    'gateway_requests',
    'notifications',
  ])
    await sql`alter table ${sql.table(table)} rename column user_id to owner_id`.execute(db);
  await renameIndex(db, 'sessions', ['owner_id']);
  await renameIndex(db, 'api_tokens', ['owner_id']);
  await renameIndex(db, 'devices', ['owner_id']);
  await renameIndex(db, 'notifications', ['owner_id', 'id']);
}

async function renameIndex(db: Kysely<never>, table: string, columns: string[]): Promise<void> {
  await db.schema.dropIndex(`${table}_by_user`).execute();
  await db.schema.createIndex(`${table}_by_owner`).on(table).columns(columns).execute();
}
