import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { lockState, readState, writeState } from '../storage/state.ts';
import type { Runtime } from '../runtime.ts';
import type { Caller } from './caller.ts';
import type { KeyHasher } from './key-hasher.ts';
import { ownerId } from './owner.ts';
import { requesterOf } from './sign-in-queue.ts';
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
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
  /** True when the daemon listens where only this machine reaches it. */
  isLoopback: boolean;
  /** True when the settings name a proxy or a public base URL. */
  isProxied: boolean;
  /** False in cloud mode, which has accounts only. */
  isLocalMode: boolean;
}

/** The access key of local mode: the one credential that a browser needs. */
export class AccessKeyService {
  readonly #deps: AccessKeyDeps;
  /** The hash, `removed` when no key is required, undefined while none was set. */
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
        'Other machines can reach this address, and no access key is set. Start once on 127.0.0.1 and set one: svc auth access-key. Or use accounts: SVC_SYSTEM_AUTH_MODE=cloud',
      );
    const service = new AccessKeyService(deps, stored);
    const again = () => void service.#read().catch(deps.reportBug);
    deps.bus.onRemote('access_key_changed', again);
    deps.bus.onGap(again);
    return service;
  }

  /** Reads what is stored: another daemon may have changed it. */
  async #read(): Promise<string | undefined> {
    try {
      this.#stored = await readState(this.#deps.database.read, HASH);
    } catch (error) {
      // Signing in checks the stored key again in any case.
      if (!(error instanceof AppError)) throw error;
    }
    return this.#stored;
  }

  get isRequired(): boolean {
    return this.#deps.isLocalMode && this.#stored !== REMOVED;
  }

  /** True where every request that passes the host gate acts as the owner. */
  get isOpen(): boolean {
    const { isLocalMode, isLoopback, isProxied } = this.#deps;
    return isLocalMode && isLoopback && !isProxied && this.#stored === REMOVED;
  }

  get exists(): boolean {
    return this.#stored !== undefined;
  }

  /** Creates a session for a caller that sends the right key. */
  async verify(key: string, client: ClientInfo = {}): Promise<NewSession> {
    this.#requireLocalMode();
    return this.#deps.hasher.during(() => this.#verify(key, client));
  }

  async #verify(key: string, client: ClientInfo): Promise<NewSession> {
    const { database, sessions, hasher } = this.#deps;
    const stored = await this.#read();
    const isMatch =
      stored === REMOVED ||
      (stored !== undefined && (await hasher.matches(key, stored, requesterOf(client))));
    const session = await database.write(async (transaction) => {
      // The key may have changed during the comparison; it does not until the commit.
      const isCurrent = isMatch && (await lockState(database.engine, transaction.db, HASH)) === stored;
      if (isCurrent)
        return sessions.signIn(transaction, { userId: ownerId, kind: 'sign-in', client }, 'access-key');
      await this.#record(transaction, 'auth.sign_in', client, 'refused');
      return undefined;
    });
    if (!session) throw new AppError('unauthenticated', 'The access key is wrong');
    return session;
  }

  /**
   * Sets the key and ends every session of an earlier key except the caller's. Null removes the requirement, which
   * only a daemon allows that no other machine can reach.
   */
  async set(key: string | null, client: ClientInfo = {}, caller?: Caller): Promise<void> {
    this.#requireLocalMode();
    const { isLoopback, isProxied, bus } = this.#deps;
    if (key === null && (!isLoopback || isProxied))
      throw new AppError(
        'wrong_state',
        'The access key can only be removed while no other machine can reach the daemon: it must listen on a loopback address, without server.baseUrl and server.trustedProxies',
      );
    await this.#deps.hasher.during(() => this.#set(key, client, caller));
    // Callers that acted as the owner without a session lose access.
    if (key !== null) bus.emit('rights_changed', { userId: ownerId });
  }

  async #set(key: string | null, client: ClientInfo, caller: Caller | undefined): Promise<void> {
    const { hasher, sessions } = this.#deps;
    const stored = key === null ? REMOVED : await hasher.hash(key, { isKnown: true, key: ownerId });
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
    this.#deps.bus.emit('access_key_changed', undefined);
  }

  /** Generates and sets a key; returns it this once. */
  async generate(): Promise<string> {
    const key = this.#deps.runtime.newSecret(18);
    await this.set(key);
    return key;
  }

  #requireLocalMode(): void {
    if (!this.#deps.isLocalMode)
      throw new AppError(
        'unsupported',
        'The access key exists in local mode only. Sign in to an account: svc auth login',
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
