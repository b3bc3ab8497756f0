import type { Kysely } from 'kysely';
import type { Database, Engine } from './database.ts';
import type { Schema } from './schema.ts';

/** Reads a value of the installation state; undefined where it is not set. */
export async function readState(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  return (await db.selectFrom('state').select('value').where('key', '=', key).executeTakeFirst())?.value;
}

/** The same in a transaction, with the value kept from changing until the commit. */
export async function lockState(
  engine: Engine,
  db: Kysely<Schema>,
  key: string,
): Promise<string | undefined> {
  return (await engine.lock(db.selectFrom('state').select('value').where('key', '=', key)).executeTakeFirst())
    ?.value;
}

/**
 * A value of the installation state that is written once: what is stored, else what `create` makes, unless another
 * daemon has stored one meanwhile.
 */
export async function ensureState(database: Database, key: string, create: () => string): Promise<string> {
  const stored = await readState(database.read, key);
  if (stored !== undefined) return stored;
  const value = create();
  return database.write(async ({ db }) => {
    await db
      .insertInto('state')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    return (await readState(db, key)) ?? value;
  });
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
