import { z } from 'zod';
import { type Scope, scopeSchema, tokenPrefix } from '../../../contract/scopes.ts';
import type { ApiToken, CreateToken } from '../../../contract/tokens.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { type Caller, isAdmin, requireOwned } from '../caller.ts';
import { CredentialCache } from '../credential-cache.ts';
import { hashToken } from '../hash-token.ts';
import { AppError } from '../../errors.ts';
import { type PerUserLimit, requireRoom } from '../../limits/per-user-limit.ts';
import { notifySecretOf } from '../../secrets/notify-secret.ts';
import type { EventBus } from '../../events.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { ApiTokenRow } from '../../storage/rows/auth.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { Runtime } from '../../runtime.ts';
import { type FoundToken, TokenStore } from './token-store.ts';

const DAY_MS = 86_400_000;
const SECRET_BYTES = 32;
/** Length of the prefix that identifies a token in lists. */
const PREFIX_LENGTH = 12;
const perUser: PerUserLimit = {
  table: 'api_tokens',
  max: 200,
  noun: 'tokens',
  remedy: 'Revoke one first: svc tokens ls',
};
/** Precision of `last_used_at`. */
const USED_EVERY_MS = 60_000;

export interface TokenServiceDeps {
  database: Database;
  audit: AuditLog;
  keys: KeyRing;
  bus: EventBus;
  runtime: Runtime;
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
}

export type NewToken = ApiToken & { token: string; notifySecret?: string };

/** Manages API tokens: only hashes are stored, and the scopes limit the rights. */
export class TokenService {
  readonly #deps: TokenServiceDeps;
  readonly #store: TokenStore;
  readonly #cache: CredentialCache;

  constructor(deps: TokenServiceDeps) {
    this.#deps = deps;
    this.#store = new TokenStore(deps.database);
    this.#cache = new CredentialCache(deps.runtime.monotonic);
  }

  /** The caller with this token where it was looked up a moment ago. */
  recall(token: string): Caller | undefined {
    return this.#cache.recall(token);
  }

  /** The caller with this token; undefined when it is unknown, revoked or expired. */
  resolve(token: string): Promise<Caller | undefined> {
    return this.#cache.find(token, () => this.#lookUp(token));
  }

  /** Creates a token; the secret is returned this once. */
  async create(caller: Caller, input: CreateToken): Promise<NewToken> {
    const { database, audit, keys, runtime } = this.#deps;
    if (caller.token) throw new AppError('forbidden', 'A token cannot create tokens');
    if (input.scopes.includes('agents:command') && !isAdmin(caller))
      throw new AppError('forbidden', 'Only an administrator may grant agents:command');
    const token = tokenPrefix + runtime.newSecret(SECRET_BYTES);
    const now = runtime.now();
    const { expiresInDays: days } = input;
    const row: ApiTokenRow = {
      id: runtime.newId('token'),
      owner_id: caller.userId,
      name: input.name,
      prefix: token.slice(0, PREFIX_LENGTH),
      device_id: caller.deviceId ?? null,
      token_hash: hashToken(token),
      scopes: JSON.stringify(input.scopes),
      created_at: now.toISOString(),
      expires_at: days === undefined ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
      last_used_at: null,
      tokens_per_day: input.tokensPerDay ?? null,
      cost_per_day: input.costPerDay ?? null,
      tokens_per_month: input.tokensPerMonth ?? null,
      cost_per_month: input.costPerMonth ?? null,
      models: input.models ? JSON.stringify(input.models) : null,
      requests_per_minute: input.requestsPerMinute ?? null,
      tokens_per_minute: input.tokensPerMinute ?? null,
    };
    await database.write(async (transaction) => {
      // It locks the user, as what removes a device does.
      await requireRoom(database.engine, transaction.db, perUser, caller.userId);
      await requireDevice(transaction, caller.deviceId);
      await transaction.db.insertInto('api_tokens').values(row).execute();
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tokens.created',
        userId: caller.userId,
        arguments: { tokenId: row.id, name: row.name, scopes: input.scopes },
        result: 'ok',
      });
    });
    const isForGateway = input.scopes.includes('gateway:write');
    return { token, ...toApiToken(row), ...(isForGateway && { notifySecret: notifySecretOf(keys, row.id) }) };
  }

  /** The caller's own tokens. */
  async list(caller: Caller): Promise<ApiToken[]> {
    return (await this.#store.list(caller.userId)).map(toApiToken);
  }

  /** Revokes a token; it is invalid once this resolves. */
  async revoke(caller: Caller, id: string): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write(async (transaction) => {
      requireOwned(caller, await this.#store.find(transaction.db, id), 'Token');
      await transaction.db.deleteFrom('api_tokens').where('id', '=', id).execute();
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tokens.revoked',
        userId: caller.userId,
        arguments: { tokenId: id },
        result: 'ok',
      });
      transaction.afterCommit(() => this.#announceEnd(id));
    });
  }

  /** Revokes the tokens that a device created. */
  async revokeByDevice(transaction: WriteTransaction, deviceId: string): Promise<void> {
    const revoked = await transaction.db
      .deleteFrom('api_tokens')
      .where('device_id', '=', deviceId)
      .returning('id')
      .execute();
    transaction.afterCommit(() => {
      for (const { id } of revoked) this.#announceEnd(id);
    });
  }

  #announceEnd(tokenId: string): void {
    this.forget();
    this.#deps.bus.emit('token_ended', { tokenId });
  }

  /** Drops all cached callers, after rights have changed. */
  forget(): void {
    this.#cache.clear();
  }

  async #lookUp(token: string): Promise<Caller | undefined> {
    return this.#callerOf(await this.#store.findByHash(hashToken(token)));
  }

  /** The caller with the token of this ID, as it is stored now. */
  async lookUpId(id: string): Promise<Caller | undefined> {
    return this.#callerOf(await this.#store.findById(id));
  }

  #callerOf(row: FoundToken | undefined): Caller | undefined {
    const now = this.#deps.runtime.now();
    if (!row || (row.expires_at !== null && row.expires_at <= now.toISOString())) return undefined;
    if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > USED_EVERY_MS)
      this.#touch(row.id, now);
    // The scope is void once the user is no longer an administrator.
    const scopes = scopesOf(row).filter((scope) => scope !== 'agents:command' || row.user_role === 'admin');
    return { userId: row.owner_id, role: 'user', token: { id: row.id, scopes, ...modelLimitsOf(row) } };
  }

  /** Written in the background; a full disk must not block requests. */
  #touch(id: string, now: Date): void {
    const { database, reportBug } = this.#deps;
    database
      .write(({ db }) =>
        db.updateTable('api_tokens').set({ last_used_at: now.toISOString() }).where('id', '=', id).execute(),
      )
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      });
  }
}

const scopesOf = ({ scopes }: Pick<ApiTokenRow, 'scopes'>): Scope[] =>
  z.array(scopeSchema).parse(JSON.parse(scopes));

/** What limits the calls of models with a token. */
const modelLimitsOf = (
  row: Pick<ApiTokenRow, 'models' | 'requests_per_minute' | 'tokens_per_minute'>,
): Pick<ApiToken, 'models' | 'requestsPerMinute' | 'tokensPerMinute'> => ({
  ...(row.models !== null && { models: z.array(z.string()).parse(JSON.parse(row.models)) }),
  ...(row.requests_per_minute !== null && { requestsPerMinute: row.requests_per_minute }),
  ...(row.tokens_per_minute !== null && { tokensPerMinute: row.tokens_per_minute }),
});

const toApiToken = (row: ApiTokenRow): ApiToken => ({
  id: row.id,
  name: row.name,
  scopes: scopesOf(row),
  prefix: row.prefix,
  createdAt: row.created_at,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  ...(row.tokens_per_day !== null && { tokensPerDay: row.tokens_per_day }),
  ...(row.cost_per_day !== null && { costPerDay: row.cost_per_day }),
  ...(row.tokens_per_month !== null && { tokensPerMonth: row.tokens_per_month }),
  ...(row.cost_per_month !== null && { costPerMonth: row.cost_per_month }),
  ...modelLimitsOf(row),
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
});

/** Throws `unauthenticated` where the device of the caller was removed meanwhile, with which its tokens were revoked. */
async function requireDevice({ db }: WriteTransaction, deviceId: string | undefined): Promise<void> {
  if (deviceId === undefined) return;
  const row = await db.selectFrom('devices').select('id').where('id', '=', deviceId).executeTakeFirst();
  if (!row) throw new AppError('unauthenticated', 'Not signed in');
}
