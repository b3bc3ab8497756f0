import { type Kysely, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { WebhookRow } from '../storage/rows/webhooks.ts';
import type { Schema } from '../storage/schema.ts';

/** A literal, because SQLite uses the partial index on pending rows only without a parameter. */
const pending = sql.lit('pending');

/** An active or failing webhook with the rights of its user. */
export type SubscribedRow = Pick<WebhookRow, 'id' | 'owner_id' | 'sees_all' | 'events' | 'format'> & {
  role: string;
};

/** Rows of webhooks. */
export class WebhookStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  find(id: string, db: Kysely<Schema> = this.#database.read): Promise<WebhookRow | undefined> {
    return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The webhook stays as it is until the commit. */
  lock(db: Kysely<Schema>, id: string): Promise<WebhookRow | undefined> {
    const found = db.selectFrom('webhooks').selectAll().where('id', '=', id);
    return this.#database.engine.lock(found).executeTakeFirst();
  }

  /** Lists the webhooks of a user, or of all users. */
  list(ownerId: string | undefined): Promise<WebhookRow[]> {
    const all = this.#database.read.selectFrom('webhooks').selectAll().orderBy('id');
    return (ownerId === undefined ? all : all.where('owner_id', '=', ownerId)).execute();
  }

  async insert(db: Kysely<Schema>, row: WebhookRow): Promise<void> {
    await db.insertInto('webhooks').values(row).execute();
  }

  async update(db: Kysely<Schema>, row: WebhookRow, change: Partial<WebhookRow>): Promise<WebhookRow> {
    await db.updateTable('webhooks').set(change).where('id', '=', row.id).execute();
    return { ...row, ...change };
  }

  async remove(db: Kysely<Schema>, id: string): Promise<void> {
    await db.deleteFrom('webhooks').where('id', '=', id).execute();
  }

  /** Lists webhooks that are not paused and whose user is enabled. */
  subscribed(): Promise<SubscribedRow[]> {
    return this.#database.read
      .selectFrom('webhooks')
      .innerJoin('users', 'users.id', 'webhooks.owner_id')
      .select([
        'webhooks.id',
        'webhooks.owner_id',
        'webhooks.sees_all',
        'webhooks.events',
        'webhooks.format',
        'users.role',
      ])
      .where('webhooks.status', '!=', 'paused')
      .where('users.disabled_at', 'is', null)
      .orderBy('webhooks.id')
      .execute();
  }

  /** Counts the pending deliveries of a webhook, and reads whether it is failing. */
  async backlog(db: Kysely<Schema>, id: string): Promise<{ waiting: number; isFailing: boolean }> {
    const row = await db
      .selectFrom('webhook_deliveries')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('webhook_id', '=', id)
      .where('status', '=', pending)
      .executeTakeFirst();
    const webhook = await this.find(id, db);
    return { waiting: row?.waiting ?? 0, isFailing: webhook?.status === 'failing' };
  }

  /** Fails a pending delivery of a failing webhook without an attempt; resolves to whether it did. */
  async giveUp(db: Kysely<Schema>, id: string, error: string, at: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', error, next_attempt_at: null, ended_at: at })
      .where('id', '=', id)
      .where('status', '=', pending)
      .where((is) =>
        is.exists(
          is
            .selectFrom('webhooks')
            .select('webhooks.id')
            .whereRef('webhooks.id', '=', 'webhook_deliveries.webhook_id')
            .where('webhooks.status', '=', 'failing'),
        ),
      )
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
