import { type Kysely, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Schema } from '../../storage/schema.ts';

const KEPT_MS = 30 * 86_400_000;
const KEPT_PER_WEBHOOK = 1000;
/** Webhooks that one call looks at. */
const WEBHOOKS = 50;
const BATCH = 500;

/**
 * Keeps what has ended for 30 days, and the last 1,000 of each webhook. What waits as long for a webhook that is off is
 * not wanted any more.
 */
export class WebhookDeliveryRetention {
  readonly #database: Database;
  #position = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Looks at some webhooks, in turn from call to call. */
  async removeOld(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MS).toISOString();
    const page = await this.#database.read
      .selectFrom('webhooks')
      .select(['id', 'status'])
      .where('id', '>', this.#position)
      .orderBy('id')
      .limit(WEBHOOKS)
      .execute();
    this.#position = page.length < WEBHOOKS ? '' : (page.at(-1)?.id ?? '');
    for (const { id, status } of page) {
      await this.#remove(() => this.#ended(id).where('ended_at', '<', before));
      await this.#remove(() => this.#ended(id).orderBy('ended_at', 'desc').offset(KEPT_PER_WEBHOOK));
      if (status !== 'active')
        await this.#remove(() => this.#waiting(id).where('next_attempt_at', '<', before));
    }
  }

  async #remove(select: () => ReturnType<typeof idsOf>): Promise<void> {
    for (;;) {
      const ids = (await select().limit(BATCH).execute()).map(({ id }) => id);
      if (ids.length === 0) return;
      await this.#database.write(({ db }) =>
        db.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute(),
      );
      if (ids.length < BATCH) return;
    }
  }

  #ended(webhookId: string) {
    return idsOf(this.#database.read, webhookId).where('ended_at', 'is not', null);
  }

  #waiting(webhookId: string) {
    return idsOf(this.#database.read, webhookId).where('status', '=', sql.lit('pending'));
  }
}

const idsOf = (db: Kysely<Schema>, webhookId: string) =>
  db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', webhookId);
