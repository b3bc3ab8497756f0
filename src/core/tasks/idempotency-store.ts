import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';
import type { Schema } from '../storage/schema.ts';

const KEPT_MS = 24 * 3_600_000;

export interface IdempotentRequest {
  ownerId: string;
  /** The route, so that one key may serve on two. */
  scope: string;
  key: string;
  body: unknown;
}

/** First answers by the key that their caller gave, for 24 hours. */
export class IdempotencyStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** The first answer to this key, or undefined; the same key with another body is a conflict. */
  async find(db: Kysely<Schema>, request: IdempotentRequest): Promise<unknown> {
    const row = await db
      .selectFrom('idempotency_keys')
      .select(['body_hash', 'answer'])
      .where('owner_id', '=', request.ownerId)
      .where('scope', '=', request.scope)
      .where('key', '=', request.key)
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.body_hash !== hashOf(request.body))
      throw new AppError('conflict', 'This idempotency key was used with another body');
    return JSON.parse(row.answer);
  }

  async insert(
    { db }: WriteTransaction,
    request: IdempotentRequest,
    answer: unknown,
    created_at: string,
  ): Promise<void> {
    await db
      .insertInto('idempotency_keys')
      .values({
        owner_id: request.ownerId,
        scope: request.scope,
        key: request.key,
        body_hash: hashOf(request.body),
        answer: JSON.stringify(answer),
        created_at,
      })
      .execute();
  }

  async deleteOld(now: Date): Promise<void> {
    const limit = new Date(now.getTime() - KEPT_MS).toISOString();
    await inBatches(async (rows) => {
      const { numAffectedRows = 0n } = await this.#database.write(({ db }) =>
        sql`delete from idempotency_keys where (owner_id, scope, key) in
          (select owner_id, scope, key from idempotency_keys where created_at < ${limit} limit ${rows})`.execute(
          db,
        ),
      );
      return Number(numAffectedRows);
    });
  }
}

const hashOf = (body: unknown) => createHash('sha256').update(JSON.stringify(body)).digest('base64url');
