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
import { TokenStore } from './token-store.ts';

const DAY_MS = 86_400_000;
const SECRET_BYTES = 32;
/** What is shown of a token, to tell it from others. */
const SHOWN_LENGTH = 12;
const perUser: PerUserLimit = {
  table: 'api_tokens',
  max: 200,
  noun: 'tokens',
  remedy: 'Revoke one first: svc tokens ls',
};
/** How exactly it is known when a token was used last. */
const USED_EVERY_MS = 60_000;

export interface TokenServiceDeps {
  database: Database;
  audit: AuditLog;
  keys: KeyRing;
  bus: EventBus;
  runtime: Runtime;
  /** Takes a fault that no caller can be told of. */
  reportBug: (error: unknown) => void;
}

export type NewToken = ApiToken & { token: string; notifySecret?: string };

/** API tokens: only their hash is stored, and what they may do is in their scopes. */
export class TokenService {
  readonly #deps: TokenServiceDeps;
  readonly #store: TokenStore;
  readonly #cache: CredentialCache;

  constructor(deps: TokenServiceDeps) {
    this.#deps = deps;
    this.#store = new TokenStore(deps.database);
    this.#cache = new CredentialCache(deps.runtime.monotonic);
  }

  /** Whose token this is and what it may do; undefined when it is unknown, revoked or expired. */
  resolve(token: string): Promise<Caller | undefined> {
    return this.#cache.find(token, () => this.#look(token));
  }

  /** Answers the token itself this once. */
  async create(caller: Caller, wish: CreateToken): Promise<NewToken> {
    const { database, audit, keys, runtime } = this.#deps;
    if (caller.token) throw new AppError('forbidden', 'A token cannot create tokens');
    if (wish.scopes.includes('agents:command') && !isAdmin(caller))
      throw new AppError('forbidden', 'Only an administrator may grant agents:command');
    const token = tokenPrefix + runtime.newSecret(SECRET_BYTES);
    const now = runtime.now();
    const { expiresInDays: days } = wish;
    const row: ApiTokenRow = {
      id: runtime.newId('token'),
      owner_id: caller.userId,
      name: wish.name,
      prefix: token.slice(0, SHOWN_LENGTH),
      device_id: caller.deviceId ?? null,
      token_hash: hashToken(token),
      scopes: JSON.stringify(wish.scopes),
      created_at: now.toISOString(),
      expires_at: days === undefined ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
      last_used_at: null,
    };
    await database.write(async (transaction) => {
      await requireRoom(transaction.db, perUser, caller.userId);
      await transaction.db.insertInto('api_tokens').values(row).execute();
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tokens.created',
        userId: caller.userId,
        arguments: { tokenId: row.id, name: row.name, scopes: wish.scopes },
        result: 'ok',
      });
    });
    const isForGateway = wish.scopes.includes('gateway:write');
    return { token, ...toApiToken(row), ...(isForGateway && { notifySecret: notifySecretOf(keys, row.id) }) };
  }

  /** The caller's own tokens. */
  async list(caller: Caller): Promise<ApiToken[]> {
    return (await this.#store.list(caller.userId)).map(toApiToken);
  }

  /** Once this resolves, the token opens nothing. */
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
      transaction.afterCommit(() => this.#forgetEnded(id));
    });
  }

  /** What a device made goes with it. */
  async revokeOfDevice(transaction: WriteTransaction, deviceId: string): Promise<void> {
    const ended = await transaction.db
      .deleteFrom('api_tokens')
      .where('device_id', '=', deviceId)
      .returning('id')
      .execute();
    transaction.afterCommit(() => {
      for (const { id } of ended) this.#forgetEnded(id);
    });
  }

  #forgetEnded(tokenId: string): void {
    this.forget();
    this.#deps.bus.emit('token_ended', { tokenId });
  }

  /** Somebody's rights have changed: every token is looked up anew. */
  forget(): void {
    this.#cache.clear();
  }

  async #look(token: string): Promise<Caller | undefined> {
    const row = await this.#store.findByHash(hashToken(token));
    const now = this.#deps.runtime.now();
    if (!row || (row.expires_at !== null && row.expires_at <= now.toISOString())) return undefined;
    if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > USED_EVERY_MS)
      this.#touch(row.id, now);
    // Who is no administrator any more can have granted nothing that only one may.
    const scopes = scopesOf(row).filter((scope) => scope !== 'agents:command' || row.user_role === 'admin');
    return { userId: row.owner_id, role: 'user', token: { id: row.id, scopes } };
  }

  /** Nobody waits for it, and a full disk is no reason to let nobody in. */
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

const toApiToken = (row: ApiTokenRow): ApiToken => ({
  id: row.id,
  name: row.name,
  scopes: scopesOf(row),
  prefix: row.prefix,
  createdAt: row.created_at,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
});
