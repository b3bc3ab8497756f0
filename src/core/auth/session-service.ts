import type { Session } from '../../contract/sessions.ts';
import type { Role } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { SessionRow } from '../storage/rows/auth.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { Caller } from './caller.ts';
import { CredentialCache } from './credential-cache.ts';
import { hashToken } from './hash-token.ts';
import type { SessionStore } from './session-store.ts';

const LIFETIME_MS = 30 * 86_400_000;
/** Precision of `last_seen_at`. */
const SEEN_EVERY_MS = 5 * 60_000;

/** The client that sent a request. */
export interface ClientInfo {
  address?: string | undefined;
  userAgent?: string | undefined;
  /** True for a client with a session, or from an address of an earlier sign-in. */
  isKnown?: boolean;
}

export interface NewSession {
  /** The secret; only its hash is stored. */
  token: string;
  /** Undefined for a session without an expiry. */
  expiresAt: string | undefined;
}

export interface SessionInput {
  userId: string;
  kind: Session['kind'];
  /** The upper limit of its rights; all rights of the user by default. */
  role?: Role;
  deviceId?: string;
  client?: ClientInfo;
}

export interface SessionServiceDeps {
  database: Database;
  store: SessionStore;
  audit: AuditLog;
  bus: EventBus;
  runtime: Runtime;
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
}

/** Manages sessions: tokens are stored as hashes, and a revoked session is invalid at once. */
export class SessionService {
  readonly #deps: SessionServiceDeps;
  readonly #cache: CredentialCache;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
    this.#cache = new CredentialCache(deps.runtime.monotonic);
  }

  /** The caller with this token, if it is in the cache. */
  recall(token: string): Caller | undefined {
    return this.#cache.recall(token);
  }

  /** The caller with this token; undefined when it is unknown, revoked or expired. */
  resolve(token: string): Promise<Caller | undefined> {
    return this.#cache.find(token, () => this.#lookUp(token));
  }

  /** Creates a session that lasts 30 days; the owner's lasts until it is replaced. */
  async create(input: SessionInput): Promise<NewSession> {
    const session = this.prepare(input);
    await this.#deps.database.write((transaction) => this.insert(transaction, session.row));
    return session;
  }

  /** The row and token of a session, for a caller that inserts it in a larger transaction. */
  prepare({
    userId,
    kind,
    role = 'admin',
    deviceId,
    client = {},
  }: SessionInput): NewSession & { row: SessionRow } {
    const { runtime } = this.#deps;
    const token = runtime.newSecret(32);
    const now = runtime.now();
    const at = now.toISOString();
    const expires = kind === 'owner' ? null : new Date(now.getTime() + LIFETIME_MS).toISOString();
    return {
      token,
      expiresAt: expires ?? undefined,
      row: {
        id: runtime.newId('sess'),
        token_hash: hashToken(token),
        owner_id: userId,
        kind,
        role,
        device_id: deviceId ?? null,
        user_agent: client.userAgent?.slice(0, 300) ?? null,
        address: client.address ?? null,
        created_at: at,
        last_seen_at: at,
        expires_at: expires,
      },
    };
  }

  /** Signs a user in: inserts the session and records the method in the audit log. */
  async signIn(transaction: WriteTransaction, input: SessionInput, method: string): Promise<NewSession> {
    const session = this.prepare(input);
    await this.insert(transaction, session.row);
    const { userId, client = {} } = input;
    await this.#audit(transaction, { userId }, 'auth.sign_in', { method }, client.address);
    return session;
  }

  async insert(transaction: WriteTransaction, row: SessionRow): Promise<void> {
    await this.#deps.store.insert(transaction, row);
    // Inserting an owner session deletes the previous one.
    transaction.afterCommit(() => {
      this.#cache.clear();
      if (row.address !== null)
        this.#deps.bus.emit('session_started', { userId: row.owner_id, address: row.address });
    });
  }

  async list(caller: Caller): Promise<Session[]> {
    const { store, runtime } = this.#deps;
    const rows = await store.list(caller.userId, runtime.now().toISOString());
    return rows.map((row) => toSession(row, caller));
  }

  /** Ends one of the caller's own sessions. */
  async revoke(caller: Caller, id: string): Promise<void> {
    await this.#deps.database.write(async (transaction) => {
      const revoked = await this.endMatching(transaction, { id, userId: caller.userId });
      if (revoked === 0) throw new AppError('not_found', 'Session not found');
      await this.#audit(transaction, caller, 'auth.session_revoked', { sessionId: id });
    });
  }

  /** Ends the session of the caller. */
  async end(caller: Caller, client: ClientInfo = {}): Promise<void> {
    const { sessionHash } = caller;
    if (sessionHash === undefined) return;
    await this.#deps.database.write(async (transaction) => {
      const revoked = await this.endMatching(transaction, { tokenHash: sessionHash });
      if (revoked > 0) await this.#audit(transaction, caller, 'auth.sign_out', {}, client.address);
    });
  }

  /** Ends the earlier session of a browser that signs in again; sessions of devices and of the owner stay. */
  async replace(token: string): Promise<void> {
    const caller = await this.resolve(token);
    if (!caller) return;
    await this.#deps.database.write(async (transaction) => {
      await this.endMatching(transaction, { tokenHash: hashToken(token), kind: 'sign-in' });
    });
  }

  /** Ends the matching sessions in this transaction; they are invalid once it commits. Returns their number. */
  async endMatching(
    transaction: WriteTransaction,
    which: Parameters<SessionStore['delete']>[1],
  ): Promise<number> {
    const hashes = await this.#deps.store.delete(transaction, which);
    transaction.afterCommit(() => {
      this.#cache.clear();
      for (const sessionHash of hashes) this.#deps.bus.emit('session_ended', { sessionHash });
    });
    return hashes.length;
  }

  /** Drops all cached callers, after rights have changed. */
  forget(): void {
    this.#cache.clear();
  }

  #lookUp(token: string): Promise<Caller | undefined> {
    return this.lookUpHash(hashToken(token));
  }

  /** The caller whose session has the hash, as it is stored now. */
  async lookUpHash(sessionHash: string): Promise<Caller | undefined> {
    const { store, runtime } = this.#deps;
    const row = await store.find(sessionHash);
    const now = runtime.now();
    if (!row || (row.expires_at !== null && row.expires_at <= now.toISOString())) return undefined;
    if (now.getTime() - Date.parse(row.last_seen_at) > SEEN_EVERY_MS) this.#touch(row.id, now);
    return {
      userId: row.owner_id,
      role: row.role === 'admin' && row.user_role === 'admin' ? 'admin' : 'user',
      sessionHash,
      sessionId: row.id,
      ...(row.device_id !== null && { deviceId: row.device_id }),
      ...(row.limited === 1 && { isLimited: true as const }),
    };
  }

  /** Written in the background; a full disk must not block sign-ins. */
  #touch(id: string, now: Date): void {
    const { database, store, reportBug } = this.#deps;
    database
      .write(({ db }) => store.touch(db, id, now.toISOString()))
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      });
  }

  #audit(
    transaction: WriteTransaction,
    { userId }: Pick<Caller, 'userId'>,
    tool: string,
    args: Record<string, unknown>,
    address?: string,
  ): Promise<void> {
    return this.#deps.audit.append(transaction, {
      kind: 'security',
      tool,
      userId,
      address,
      arguments: args,
      result: 'ok',
    });
  }
}

const toSession = (row: SessionRow, caller: Caller): Session => ({
  id: row.id,
  kind: row.kind as Session['kind'],
  current: row.id === caller.sessionId,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  ...(row.user_agent !== null && { userAgent: row.user_agent }),
  ...(row.address !== null && { address: row.address }),
  ...(row.device_id !== null && { deviceId: row.device_id }),
});
