import { setTimeout as delay } from 'node:timers/promises';
import { type Vendor, wireName } from '../../../contract/vendors.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Leases } from '../../leases.ts';
import type { Config } from '../../config/config.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { Runtime } from '../../runtime.ts';
import type { ClientInfo } from '../../auth/session-service.ts';
import type { ConnectionStore, StoredConnection } from './connection-store.ts';
import { revokeGrant } from './grant-revocation.ts';
import type { FinishedFlow } from './oauth-flow.ts';
import { clientOf, oauthProviders } from './oauth-providers.ts';
import type { TokenGrants, TokenSet } from './token-grants.ts';

/** A token is handed out only while it is valid for at least this long. */
const SPARE_MS = 60_000;
/** How long to wait while another daemon uses a connection, and how often to look. */
const WAIT_MS = 20_000;
const LOOK_AGAIN_MS = 100;

export interface Connection {
  provider: Vendor;
  accountId: string;
  /** The profile of the account at the vendor. */
  account: Record<string, unknown>;
  scopes: string[];
  expiresAt: string | undefined;
}

export interface ConnectionOwner {
  userId: string;
  provider: Vendor;
  client: ClientInfo;
}
type Brought = Pick<FinishedFlow, 'tokens' | 'profile'>;

export interface ConnectionServiceDeps {
  database: Database;
  store: ConnectionStore;
  grants: TokenGrants;
  audit: AuditLog;
  config: Config;
  fetch: OutboundFetch;
  log: Log;
  runtime: Runtime;
  leases: Pick<Leases, 'take' | 'release'>;
}

/** The accounts at vendors that users connected, and their tokens. */
export class ConnectionService {
  readonly #deps: ConnectionServiceDeps;
  readonly #refreshing = new Map<string, Promise<string>>();
  /** New tokens that could not be stored yet, by the sealed token that they replace. */
  readonly #unsaved = new Map<string, TokenSet>();
  /** The connections that these belong to: no other daemon may refresh them. */
  readonly #unsavedOf = new Set<string>();

  constructor(deps: ConnectionServiceDeps) {
    this.#deps = deps;
  }

  /** Stores the result of a finished flow as a connection of the user. */
  connect(owner: ConnectionOwner, flow: Brought): Promise<void> {
    return this.#deps.database.write((transaction) => this.connectIn(transaction, owner, flow));
  }

  async connectIn(transaction: WriteTransaction, owner: ConnectionOwner, flow: Brought): Promise<void> {
    const { userId, provider, client } = owner;
    const { profile } = flow;
    await this.renewIn(transaction, owner, flow);
    await this.#deps.audit.append(transaction, {
      kind: 'security',
      tool: 'auth.connected',
      userId,
      address: client.address,
      arguments: { provider: wireName(provider), accountId: profile.accountId, login: profile.login },
      result: 'ok',
    });
  }

  /** Stores the new tokens of an account that is already connected. */
  async renewIn(
    transaction: WriteTransaction,
    { userId, provider }: ConnectionOwner,
    { tokens, profile }: Brought,
  ): Promise<void> {
    const { store, runtime } = this.#deps;
    const at = runtime.now().toISOString();
    await store.put(transaction, { owner_id: userId, provider }, { tokens, profile, at });
  }

  async find(userId: string, provider: Vendor): Promise<Connection | undefined> {
    const row = await this.#deps.store.find(userId, provider);
    return row && toConnection(row);
  }

  /** A token that is valid for a while; refreshed if needed, once for all concurrent callers. */
  async accessToken(userId: string, provider: Vendor): Promise<string> {
    const { store } = this.#deps;
    const row = await this.#require(userId, provider);
    if (this.#lasts(row)) return store.accessToken(row);
    const key = keyOf(userId, provider);
    let refreshed = this.#refreshing.get(key);
    if (!refreshed) {
      refreshed = this.#alone(userId, provider, () => this.#refresh(userId, provider)).finally(() =>
        this.#refreshing.delete(key),
      );
      this.#refreshing.set(key, refreshed);
    }
    return refreshed;
  }

  /** Revokes the grant at the vendor and deletes the connection in any case. Returns whether the vendor confirmed. */
  async disconnect(
    userId: string,
    provider: Vendor,
    { actorId = userId, address }: { actorId?: string; address?: string | undefined } = {},
  ): Promise<boolean> {
    // A refresh in progress would leave an unknown grant behind.
    await this.#refreshing.get(keyOf(userId, provider))?.catch(() => undefined);
    return this.#alone(userId, provider, () => this.#disconnect(userId, provider, { actorId, address }));
  }

  async #disconnect(
    userId: string,
    provider: Vendor,
    { actorId, address }: { actorId: string; address: string | undefined },
  ): Promise<boolean> {
    const { database, store, audit } = this.#deps;
    const row = await this.#require(userId, provider);
    const isRevoked = await this.#revoke(row);
    await database.write(async (transaction) => {
      if (!(await store.delete(transaction, userId, provider))) return;
      await audit.append(transaction, {
        kind: 'security',
        tool: 'auth.disconnected',
        userId: actorId,
        address,
        arguments: {
          provider: wireName(provider),
          accountId: row.account_id,
          ownerId: userId,
          isRevoked,
        },
        result: 'ok',
      });
    });
    return isRevoked;
  }

  /** Runs the work while no other daemon uses the refresh token, which is valid once. */
  async #alone<T>(userId: string, provider: Vendor, work: () => Promise<T>): Promise<T> {
    const { leases, runtime } = this.#deps;
    const key = keyOf(userId, provider);
    const name = `connection ${key}`;
    const isIdle = () => !this.#refreshing.has(key) && !this.#unsavedOf.has(key);
    const until = runtime.monotonic() + WAIT_MS;
    while (!(await leases.take(name, { isIdle })).isMine) {
      if (runtime.monotonic() >= until)
        throw new AppError('unavailable', 'Another daemon uses the connection. Try again.');
      await delay(LOOK_AGAIN_MS);
    }
    try {
      return await work();
    } finally {
      if (!this.#unsavedOf.has(key)) await leases.release(name);
    }
  }

  async #refresh(userId: string, provider: Vendor): Promise<string> {
    const { database, store, runtime } = this.#deps;
    // Read again: an earlier refresh may have finished since.
    const row = await this.#require(userId, provider);
    if (this.#lasts(row)) return store.accessToken(row);
    const kept = this.#unsaved.get(row.access_token);
    const tokens = kept ?? (await this.#askForTokens(row));
    // The old refresh token is invalid now: a full disk must not cost the connection.
    this.#unsaved.set(row.access_token, tokens);
    this.#unsavedOf.add(keyOf(userId, provider));
    const at = runtime.now().toISOString();
    await database.write((transaction) => store.replaceTokens(transaction, row, tokens, at));
    this.#unsaved.delete(row.access_token);
    this.#unsavedOf.delete(keyOf(userId, provider));
    // The kept tokens may have expired in the meantime.
    return kept ? this.#refresh(userId, provider) : tokens.accessToken;
  }

  async #askForTokens(row: StoredConnection): Promise<TokenSet> {
    const { store, grants } = this.#deps;
    const { provider } = row;
    const again = `${oauthProviders[provider].vendor} must be connected again`;
    const refreshToken = store.refreshToken(row);
    if (refreshToken === undefined) throw new AppError('wrong_state', `${again}: the access has expired`);
    return grants.refresh(provider, refreshToken).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'unauthenticated')
        throw new AppError('wrong_state', `${again}: the access was taken back, or not used for too long`);
      throw error;
    });
  }

  async #revoke(row: StoredConnection): Promise<boolean> {
    const { store, config, fetch, log } = this.#deps;
    const { provider } = row;
    try {
      const tokens = { accessToken: store.accessToken(row), refreshToken: store.refreshToken(row) };
      return await revokeGrant(clientOf(config, provider), fetch, tokens);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ provider, reason: messageOf(error) }, 'a grant could not be revoked at its vendor');
      return false;
    }
  }

  #lasts({ expires_at }: StoredConnection): boolean {
    const { runtime } = this.#deps;
    return expires_at === null || Date.parse(expires_at) >= runtime.now().getTime() + SPARE_MS;
  }

  async #require(userId: string, provider: Vendor): Promise<StoredConnection> {
    const row = await this.#deps.store.find(userId, provider);
    if (!row) throw new AppError('wrong_state', `${oauthProviders[provider].vendor} is not connected`);
    return row;
  }
}

const keyOf = (userId: string, provider: Vendor) => `${userId} ${provider}`;

const toConnection = (row: StoredConnection): Connection => ({
  provider: row.provider,
  accountId: row.account_id,
  account: JSON.parse(row.account) as Record<string, unknown>,
  scopes: JSON.parse(row.scopes) as string[],
  expiresAt: row.expires_at ?? undefined,
});
