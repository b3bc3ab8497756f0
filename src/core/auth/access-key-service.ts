import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import type { Runtime } from '../runtime.ts';
import type { Caller } from './caller.ts';
import type { KeyHasher } from './key-hasher.ts';
import { ownerId } from './owner.ts';
import type { ClientInfo, NewSession, SessionService } from './session-service.ts';

const HASH = 'access_key_hash';
const REMOVED = 'removed';

export interface AccessKeyDeps {
  database: Database;
  sessions: SessionService;
  hasher: KeyHasher;
  audit: AuditLog;
  bus: EventBus;
  runtime: Runtime;
  /** True when the daemon listens where only this machine reaches it. */
  isLoopback: boolean;
  /** True when others come in through a proxy, by the settings. */
  isProxied: boolean;
  /** False in cloud mode, which knows accounts only. */
  isLocalMode: boolean;
}

/** The access key of local mode: the one credential that a browser needs. */
export class AccessKeyService {
  readonly #deps: AccessKeyDeps;
  /** The hash, `removed` when none is needed, undefined while none was made. */
  #stored: string | undefined;

  private constructor(deps: AccessKeyDeps, stored: string | undefined) {
    this.#deps = deps;
    this.#stored = stored;
  }

  static async load(deps: AccessKeyDeps): Promise<AccessKeyService> {
    const stored = await readState(deps.database.read, HASH);
    const hasKey = stored !== undefined && stored !== REMOVED;
    const isOpened = !deps.isLoopback || (deps.isProxied && stored === REMOVED);
    if (deps.isLocalMode && isOpened && !hasKey)
      throw new AppError(
        'configuration',
        'Others could reach this address, and there is no access key. Start once on 127.0.0.1 and set one: svc auth access-key. Or use accounts: SVC_SYSTEM_AUTH_MODE=cloud',
      );
    return new AccessKeyService(deps, stored);
  }

  get isRequired(): boolean {
    return this.#deps.isLocalMode && this.#stored !== REMOVED;
  }

  /** True where whoever passes the gate is the owner. */
  get isOpen(): boolean {
    const { isLocalMode, isLoopback, isProxied } = this.#deps;
    return isLocalMode && isLoopback && !isProxied && this.#stored === REMOVED;
  }

  get exists(): boolean {
    return this.#stored !== undefined;
  }

  /** A session for whoever knows the key. */
  async verify(key: string, client: ClientInfo = {}): Promise<NewSession> {
    this.#requireLocalMode();
    const { database, sessions, hasher } = this.#deps;
    const stored = this.#stored;
    const isRight = stored === REMOVED || (stored !== undefined && (await hasher.matches(key, stored)));
    const session = await database.write(async (transaction) => {
      // The key may have been changed while it was compared.
      const isStill = isRight && (await readState(transaction.db, HASH)) === stored;
      if (isStill)
        return sessions.signIn(transaction, { userId: ownerId, kind: 'sign-in', client }, 'access-key');
      await this.#record(transaction, 'auth.sign_in', client, 'refused');
      return undefined;
    });
    if (!session) throw new AppError('unauthenticated', 'That is not the access key');
    return session;
  }

  /**
   * Sets the key, and signs every browser out that used another, but for the caller's. Null removes the requirement,
   * which only a daemon that nobody else reaches allows.
   */
  async set(key: string | null, client: ClientInfo = {}, caller?: Caller): Promise<void> {
    this.#requireLocalMode();
    const { isLoopback, isProxied, sessions, bus } = this.#deps;
    if (key === null && (!isLoopback || isProxied))
      throw new AppError(
        'wrong_state',
        'The access key can only be removed while nobody else reaches the daemon: it listens on a loopback address, and no server.baseUrl or server.trustedProxies is set',
      );
    const stored = key === null ? REMOVED : await this.#deps.hasher.hash(key);
    await this.#deps.database.write(async (transaction) => {
      await writeState(transaction.db, HASH, stored);
      await sessions.endMatching(transaction, {
        userId: ownerId,
        kind: 'sign-in',
        ...(caller?.sessionHash !== undefined && { exceptHash: caller.sessionHash }),
      });
      await this.#record(transaction, 'auth.access_key_changed', client, key === null ? 'removed' : 'set');
    });
    this.#stored = stored;
    // Whoever was the owner without a session is not any more.
    if (key !== null) bus.emit('rights_changed', { userId: ownerId });
  }

  /** Makes a key of its own and answers it, once. */
  async generate(): Promise<string> {
    const key = this.#deps.runtime.newSecret(18);
    await this.set(key);
    return key;
  }

  #requireLocalMode(): void {
    if (!this.#deps.isLocalMode)
      throw new AppError(
        'unsupported',
        'The access key belongs to local mode; here one signs in to an account',
      );
  }

  #record(transaction: WriteTransaction, tool: string, client: ClientInfo, result: string): Promise<void> {
    return this.#deps.audit.append(transaction, {
      kind: 'security',
      tool,
      userId: ownerId,
      address: client.address,
      arguments: { method: 'access-key' },
      result,
    });
  }
}
