import type { ProviderName } from '../../../contract/oauth.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { ConnectionRow } from '../../storage/rows/connections.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { ProviderProfile } from './provider-profiles.ts';
import type { TokenSet } from './token-grants.ts';

type Sealed = Pick<ConnectionRow, 'access_token' | 'refresh_token' | 'expires_at'>;
type Key = Pick<ConnectionRow, 'owner_id' | 'provider'>;

/** Rows of connections; their tokens are sealed, each to its place. */
export class ConnectionStore {
  readonly #database: Database;
  readonly #box: SecretBox;
  constructor(database: Database, box: SecretBox) {
    this.#database = database;
    this.#box = box;
  }

  find(userId: string, provider: ProviderName): Promise<ConnectionRow | undefined> {
    return this.#database.read
      .selectFrom('connections')
      .selectAll()
      .where('owner_id', '=', userId)
      .where('provider', '=', provider)
      .executeTakeFirst();
  }

  /** Who signs in with this account of a vendor. */
  async userOf(
    { db }: WriteTransaction,
    provider: ProviderName,
    accountId: string,
  ): Promise<string | undefined> {
    const row = await db
      .selectFrom('connections')
      .select('owner_id')
      .where('provider', '=', provider)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.owner_id;
  }

  /** Inserts the connection, or puts it in the place of the user's earlier one. */
  async put(
    { db }: WriteTransaction,
    key: Key,
    { tokens, profile, at }: { tokens: TokenSet; profile: ProviderProfile; at: string },
  ): Promise<void> {
    const row = {
      account_id: profile.accountId,
      account: JSON.stringify(profile.account),
      scopes: JSON.stringify(profile.scopes ?? tokens.scopes ?? []),
      ...this.#seal(key, tokens),
      updated_at: at,
    };
    await db
      .insertInto('connections')
      .values({ ...key, ...row, created_at: at })
      .onConflict((conflict) => conflict.columns(['owner_id', 'provider']).doUpdateSet(row))
      .execute();
  }

  /** Stores refreshed tokens unless the connection was replaced since it was read. */
  async replaceTokens(
    { db }: WriteTransaction,
    read: ConnectionRow,
    tokens: TokenSet,
    at: string,
  ): Promise<void> {
    const sealed = this.#seal(read, tokens);
    await db
      .updateTable('connections')
      // A vendor that gives no new refresh token means the old one to stay.
      .set({ ...sealed, refresh_token: sealed.refresh_token ?? read.refresh_token, updated_at: at })
      .where('owner_id', '=', read.owner_id)
      .where('provider', '=', read.provider)
      .where('access_token', '=', read.access_token)
      .execute();
  }

  async delete({ db }: WriteTransaction, userId: string, provider: ProviderName): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('connections')
      .where('owner_id', '=', userId)
      .where('provider', '=', provider)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  accessToken(row: ConnectionRow): string {
    return this.#box.open(row.access_token, placeOf(row, 'access'));
  }

  refreshToken(row: ConnectionRow): string | undefined {
    return row.refresh_token === null
      ? undefined
      : this.#box.open(row.refresh_token, placeOf(row, 'refresh'));
  }

  #seal(key: Key, { accessToken, refreshToken, expiresAt }: TokenSet): Sealed {
    return {
      access_token: this.#box.seal(accessToken, placeOf(key, 'access')),
      refresh_token:
        refreshToken === undefined ? null : this.#box.seal(refreshToken, placeOf(key, 'refresh')),
      expires_at: expiresAt ?? null,
    };
  }
}

const placeOf = (key: Key, which: 'access' | 'refresh') =>
  `connections:${key.owner_id}:${key.provider}:${which}`;
