import type { Kysely } from 'kysely';
import type { ApiTokenRow } from '../../storage/rows/auth.ts';
import type { Database } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Schema } from '../../storage/schema.ts';

export type FoundToken = Pick<
  ApiTokenRow,
  | 'id'
  | 'owner_id'
  | 'scopes'
  | 'expires_at'
  | 'last_used_at'
  | 'models'
  | 'requests_per_minute'
  | 'tokens_per_minute'
> & { user_role: string };

/** Rows of API tokens. */
export class TokenStore {
  readonly #database: Database;
  readonly #findByHash;
  readonly #findById;

  constructor(database: Database) {
    this.#database = database;
    const found = (column: 'token_hash' | 'api_tokens.id') =>
      prepareQuery<{ value: string }, FoundToken>((value) =>
        database.read
          .selectFrom('api_tokens')
          .innerJoin('users', 'users.id', 'api_tokens.owner_id')
          .select([
            'api_tokens.id',
            'api_tokens.owner_id',
            'api_tokens.scopes',
            'api_tokens.expires_at',
            'api_tokens.last_used_at',
            'api_tokens.models',
            'api_tokens.requests_per_minute',
            'api_tokens.tokens_per_minute',
            'users.role as user_role',
          ])
          .where(column, '=', value('value'))
          .where('users.disabled_at', 'is', null),
      );
    this.#findByHash = found('token_hash');
    this.#findById = found('api_tokens.id');
  }

  async findByHash(hash: string): Promise<FoundToken | undefined> {
    return (await this.#database.read.executeQuery(this.#findByHash({ value: hash }))).rows[0];
  }

  async findById(id: string): Promise<FoundToken | undefined> {
    return (await this.#database.read.executeQuery(this.#findById({ value: id }))).rows[0];
  }

  find(db: Kysely<Schema>, id: string): Promise<ApiTokenRow | undefined> {
    return db.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirst();
  }

  list(userId: string): Promise<ApiTokenRow[]> {
    return this.#database.read
      .selectFrom('api_tokens')
      .selectAll()
      .where('owner_id', '=', userId)
      .orderBy('id', 'desc')
      .execute();
  }
}
