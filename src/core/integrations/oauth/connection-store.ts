import { type Vendor, vendorOf, wireName } from '../../../contract/vendors.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { ConnectionRow } from '../../storage/rows/connections.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { ProviderProfile } from './provider-profiles.ts';
import type { TokenSet } from './token-grants.ts';

type Sealed = Pick<ConnectionRow, 'access_token' | 'refresh_token' | 'expires_at'>;
interface Key {
  owner_id: string;
  provider: Vendor;
}
/** A row under the name that the product has here. */
export type StoredConnection = Omit<ConnectionRow, 'provider'> & Key;

/** Rows of connections; each token is sealed for its own row and column. */
export class ConnectionStore {
  readonly #database: Database;
  readonly #box: SecretBox;
  constructor(database: Database, box: SecretBox) {
    this.#database = database;
    this.#box = box;
  }

  async find(userId: string, provider: Vendor): Promise<StoredConnection | undefined> {
    const row = await this.#database.read
      .selectFrom('connections')
      .selectAll()
      .where('owner_id', '=', userId)
      .where('provider', '=', wireName(provider))
      .executeTakeFirst();
    return row && { ...row, provider: vendorOf(row.provider) };
  }

  /** The user who signs in with this account of a vendor. */
  async userOf({ db }: WriteTransaction, provider: Vendor, accountId: string): Promise<string | undefined> {
    const row = await db
      .selectFrom('connections')
      .select('owner_id')
      .where('provider', '=', wireName(provider))
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.owner_id;
  }

  /** Inserts the connection or replaces the user's earlier one. */
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
      .values({ owner_id: key.owner_id, provider: wireName(key.provider), ...row, created_at: at })
      .onConflict((conflict) => conflict.columns(['owner_id', 'provider']).doUpdateSet(row))
      .execute();
  }

  /** Stores refreshed tokens unless the connection was replaced since it was read. */
  async replaceTokens(
    { db }: WriteTransaction,
    read: StoredConnection,
    tokens: TokenSet,
    at: string,
  ): Promise<void> {
    const sealed = this.#seal(read, tokens);
    await db
      .updateTable('connections')
      // Without a new refresh token the old one stays valid.
      .set({ ...sealed, refresh_token: sealed.refresh_token ?? read.refresh_token, updated_at: at })
      .where('owner_id', '=', read.owner_id)
      .where('provider', '=', wireName(read.provider))
      .where('access_token', '=', read.access_token)
      .execute();
  }

  async delete({ db }: WriteTransaction, userId: string, provider: Vendor): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('connections')
      .where('owner_id', '=', userId)
      .where('provider', '=', wireName(provider))
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  accessToken(row: StoredConnection): string {
    return this.#box.open(row.access_token, placeOf(row, 'access'));
  }

  refreshToken(row: StoredConnection): string | undefined {
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
  `connections:${key.owner_id}:${wireName(key.provider)}:${which}`;
