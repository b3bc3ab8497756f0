import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** A small durable fact of the installation, or undefined. */
export async function readState(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  return (await db.selectFrom('state').select('value').where('key', '=', key).executeTakeFirst())?.value;
}

/** Sets the fact, or forgets it with null. */
export async function writeState(db: Kysely<Schema>, key: string, value: string | null): Promise<void> {
  if (value === null) await db.deleteFrom('state').where('key', '=', key).execute();
  else
    await db
      .insertInto('state')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
}
