import type { Kysely } from 'kysely';
import type { ListExperiencesQuery } from '../../../contract/experiences.ts';
import type { Database } from '../../storage/database.ts';
import { listReader } from '../../storage/list-reader.ts';
import type { ExperienceRow } from '../../storage/rows/memory.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Schema } from '../../storage/schema.ts';

export type Weighed = Pick<ExperienceRow, 'id' | 'weight' | 'weighed_at'>;

/** Stores experiences. */
export class ExperienceStore {
  readonly #database: Database;
  readonly #find;
  readonly #findLocked;
  readonly #any;
  readonly #anyOf;
  readonly #findDuplicate;
  readonly #use;
  readonly #weigh;

  constructor(database: Database) {
    this.#database = database;
    const { read, engine } = database;
    this.#find = prepareQuery<{ id: string }, ExperienceRow>((value) =>
      read.selectFrom('experiences').selectAll().where('id', '=', value('id')),
    );
    this.#findLocked = prepareQuery<{ id: string }, ExperienceRow>((value) =>
      engine.lock(read.selectFrom('experiences').selectAll().where('id', '=', value('id'))),
    );
    this.#any = prepareQuery<object, { id: string }>(() =>
      read.selectFrom('experiences').select('id').limit(1),
    );
    this.#anyOf = prepareQuery<{ owner: string }, { id: string }>((value) =>
      read.selectFrom('experiences').select('id').where('owner_id', '=', value('owner')).limit(1),
    );
    this.#findDuplicate = prepareQuery<{ owner: string; key: string }, ExperienceRow>((value) =>
      read
        .selectFrom('experiences')
        .selectAll()
        .where('owner_id', '=', value('owner'))
        .where('content_key', '=', value('key')),
    );
    this.#use = prepareQuery<{ id: string; weight: number; at: string }, never>((value) =>
      read
        .updateTable('experiences')
        .set((is) => ({
          weight: value('weight'),
          use_count: is('use_count', '+', 1),
          last_used_at: value('at'),
        }))
        .where('id', '=', value('id')),
    );
    this.#weigh = prepareQuery<Weighed, never>((value) =>
      read
        .updateTable('experiences')
        .set({ weight: value('weight'), weighed_at: value('weighed_at') })
        .where('id', '=', value('id')),
    );
  }

  async find(id: string): Promise<ExperienceRow | undefined> {
    return (await this.#database.read.executeQuery(this.#find({ id }))).rows[0];
  }

  /** In a transaction that changes it by what it is. */
  async findLocked(db: Kysely<Schema>, id: string): Promise<ExperienceRow | undefined> {
    return (await db.executeQuery(this.#findLocked({ id }))).rows[0];
  }

  findAll(ids: string[]): Promise<ExperienceRow[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.#database.read.selectFrom('experiences').selectAll().where('id', 'in', ids).execute();
  }

  /** An experience of the same owner with the same content. */
  async findDuplicate(
    db: Kysely<Schema>,
    { owner_id, content_key }: ExperienceRow,
  ): Promise<ExperienceRow | undefined> {
    return (await db.executeQuery(this.#findDuplicate({ owner: owner_id, key: content_key }))).rows[0];
  }

  /** Of all users unless an owner is given. */
  async hasAny(ownerId: string | undefined): Promise<boolean> {
    const query = ownerId === undefined ? this.#any({}) : this.#anyOf({ owner: ownerId });
    return (await this.#database.read.executeQuery(query)).rows.length > 0;
  }

  async insert(db: Kysely<Schema>, row: ExperienceRow): Promise<void> {
    await db.insertInto('experiences').values(row).execute();
  }

  async remove(db: Kysely<Schema>, ids: string[]): Promise<void> {
    await db.deleteFrom('experiences').where('id', 'in', ids).execute();
  }

  async use(db: Kysely<Schema>, id: string, weight: number, at: string): Promise<void> {
    await db.executeQuery(this.#use({ id, weight, at }));
  }

  async weigh(db: Kysely<Schema>, weighed: Weighed): Promise<void> {
    await db.executeQuery(this.#weigh(weighed));
  }

  /** Highest weight first, then newest. */
  async list(
    ownerId: string | undefined,
    { type, tag, minWeight, conversationId, limit, offset }: ListExperiencesQuery,
  ): Promise<{ rows: ExperienceRow[]; total: number }> {
    const { engine } = this.#database;
    const db = await listReader(this.#database, 'experiences');
    let matching = db.selectFrom('experiences');
    if (ownerId !== undefined) matching = matching.where('owner_id', '=', ownerId);
    if (type !== undefined) matching = matching.where('type', '=', type);
    if (tag !== undefined) matching = matching.where(engine.hasTag(tag));
    if (minWeight !== undefined) matching = matching.where('weight', '>=', minWeight);
    if (conversationId !== undefined)
      matching = matching.where('source_conversation_id', '=', conversationId);
    const [count, rows] = await Promise.all([
      matching.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst(),
      matching
        .selectAll()
        .orderBy('weight', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    ]);
    return { rows, total: count?.n ?? 0 };
  }

  async owners(): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('experiences')
      .select('owner_id')
      .distinct()
      .orderBy('owner_id')
      .execute();
    return rows.map(({ owner_id }) => owner_id);
  }

  /** An owner's experiences last weighed before a moment, locked. */
  weighedBefore(db: Kysely<Schema>, ownerId: string, moment: string, limit: number): Promise<Weighed[]> {
    const due = db
      .selectFrom('experiences')
      .select(['id', 'weight', 'weighed_at'])
      .where('owner_id', '=', ownerId)
      .where('weighed_at', '<', moment)
      .limit(limit);
    return this.#database.engine.lock(due).execute();
  }

  /** Experiences with less than a weight, locked. */
  async lighterThan(
    db: Kysely<Schema>,
    ownerId: string | undefined,
    weight: number,
    limit: number,
  ): Promise<string[]> {
    let query = db.selectFrom('experiences').select('id').where('weight', '<', weight);
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    const rows = await this.#database.engine.lock(query.limit(limit)).execute();
    return rows.map(({ id }) => id);
  }

  /** The experiences of all users, page by page. */
  page(after: string, limit: number): Promise<ExperienceRow[]> {
    return this.#database.read
      .selectFrom('experiences')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  }
}
