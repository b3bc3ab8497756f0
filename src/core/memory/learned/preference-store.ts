import type { Kysely } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { PreferenceRow } from '../../storage/rows/memory.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Schema } from '../../storage/schema.ts';

type Same = Pick<PreferenceRow, 'owner_id' | 'category_key' | 'value_key'>;

/** Stores preferences. */
export class PreferenceStore {
  readonly #database: Database;
  readonly #findSame;
  readonly #list;
  readonly #halveOthers;

  constructor(database: Database) {
    this.#database = database;
    const { read } = database;
    this.#findSame = prepareQuery<Same, PreferenceRow>((value) =>
      read
        .selectFrom('preferences')
        .selectAll()
        .where('owner_id', '=', value('owner_id'))
        .where('category_key', '=', value('category_key'))
        .where('value_key', '=', value('value_key')),
    );
    this.#list = prepareQuery<{ owner: string }, PreferenceRow>((value) =>
      read
        .selectFrom('preferences')
        .selectAll()
        .where('owner_id', '=', value('owner'))
        .orderBy('confidence', 'desc')
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc'),
    );
    this.#halveOthers = prepareQuery<Same & Pick<PreferenceRow, 'is_trusted'>, never>((value) =>
      read
        .updateTable('preferences')
        .set((is) => ({ confidence: is('confidence', '/', 2) }))
        .where('owner_id', '=', value('owner_id'))
        .where('category_key', '=', value('category_key'))
        .where('value_key', '!=', value('value_key'))
        .where('is_trusted', '<=', value('is_trusted')),
    );
  }

  async findSame(db: Kysely<Schema>, same: Same): Promise<PreferenceRow | undefined> {
    return (await db.executeQuery(this.#findSame(same))).rows[0];
  }

  async insert(db: Kysely<Schema>, row: PreferenceRow): Promise<void> {
    await db.insertInto('preferences').values(row).execute();
  }

  async update(db: Kysely<Schema>, { id, ...change }: PreferenceRow): Promise<void> {
    await db.updateTable('preferences').set(change).where('id', '=', id).execute();
  }

  /** Halves the confidence of other values in the category, unless they are trusted more. */
  async halveOthers(db: Kysely<Schema>, { owner_id, category_key, value_key }: Same, isTrusted: number) {
    await db.executeQuery(this.#halveOthers({ owner_id, category_key, value_key, is_trusted: isTrusted }));
  }

  /** Highest confidence first, then newest. */
  async list(ownerId: string): Promise<PreferenceRow[]> {
    return (await this.#database.read.executeQuery(this.#list({ owner: ownerId }))).rows;
  }

  /** Returns whether it existed. */
  async remove(db: Kysely<Schema>, ownerId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('preferences')
      .where('owner_id', '=', ownerId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
}
