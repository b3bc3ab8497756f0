import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Reads a value of the installation state; undefined where it is not set. */
export async function readState(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  return (await db.selectFrom('state').select('value').where('key', '=', key).executeTakeFirst())?.value;
}

/** Sets a value of the installation state; null deletes it. */
export async function writeState(db: Kysely<Schema>, key: string, value: string | null): Promise<void> {
  if (value === null) await db.deleteFrom('state').where('key', '=', key).execute();
  else
    await db
      .insertInto('state')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
}
