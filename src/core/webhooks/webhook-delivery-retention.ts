import { type Kysely, sql } from 'kysely';
import type { Config } from '../config/config.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';

const DAY_MS = 86_400_000;
const KEPT_PER_WEBHOOK = 1000;
/** Webhooks per call. */
const WEBHOOKS = 50;
const BATCH = 500;

/**
 * Keeps finished deliveries for `retention.deliveriesDays`, at most the last 1,000 of each webhook. Deliveries that were pending that long
 * for an inactive webhook are removed, as are all deliveries of a removed webhook.
 */
export class WebhookDeliveryRetention {
  readonly #database: Database;
  readonly #config: Pick<Config, 'get'>;
  readonly #next;
  #position = '';

  constructor(database: Database, config: Pick<Config, 'get'>) {
    this.#database = database;
    this.#config = config;
    this.#next = prepareQuery<{ after: string }, { webhook_id: string; status: string | null }>((value) =>
      database.read
        .selectFrom('webhook_deliveries')
        .leftJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
        .select(['webhook_id', 'webhooks.status'])
        .where('webhook_id', '>', value('after'))
        .orderBy('webhook_id')
        .limit(1),
    );
  }

  /** Cleans up some webhooks, rotating from call to call. */
  async removeOld(now: Date): Promise<void> {
    const days = this.#config.get('retention.deliveriesDays');
    // The empty text is before every time.
    const before = days === 0 ? '' : new Date(now.getTime() - days * DAY_MS).toISOString();
    for (let looked = 0; looked < WEBHOOKS; looked++) {
      const { rows } = await this.#database.read.executeQuery(this.#next({ after: this.#position }));
      const [{ webhook_id: id, status } = { webhook_id: '', status: null }] = rows;
      this.#position = id;
      if (id === '') return;
      if (status === null) {
        await this.#remove(() => this.#of(id));
        continue;
      }
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
    return this.#of(webhookId).where('ended_at', 'is not', null);
  }

  #waiting(webhookId: string) {
    return this.#of(webhookId).where('status', '=', sql.lit('pending'));
  }

  #of(webhookId: string) {
    return idsOf(this.#database.read, webhookId);
  }
}

const idsOf = (db: Kysely<Schema>, webhookId: string) =>
  db.selectFrom('webhook_deliveries').select('webhook_deliveries.id').where('webhook_id', '=', webhookId);
