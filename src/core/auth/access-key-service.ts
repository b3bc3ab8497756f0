import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import type { Surroundings } from '../surroundings.ts';
import type { KeyHasher } from './key-hasher.ts';
import { ownerId } from './owner.ts';
import type { ClientInfo, NewSession, SessionService } from './session-service.ts';

const HASH = 'access_key_hash';
const REMOVED = 'removed';

export interface AccessKeyParts {
  database: Database;
  sessions: SessionService;
  hasher: KeyHasher;
  audit: AuditLog;
  surroundings: Surroundings;
  /** True when only this machine can reach the daemon. */
  isLoopback: boolean;
  /** False in cloud mode, which knows accounts only. */
  isLocalMode: boolean;
}

/** The access key of local mode: the one credential that a browser needs. */
export class AccessKeyService {
  readonly #parts: AccessKeyParts;
  /** The hash, `removed` when none is needed, undefined while none was made. */
  #stored: string | undefined;

  private constructor(parts: AccessKeyParts, stored: string | undefined) {
    this.#parts = parts;
    this.#stored = stored;
  }

  static async load(parts: AccessKeyParts): Promise<AccessKeyService> {
    const stored = await readState(parts.database.read, HASH);
    const hasKey = stored !== undefined && stored !== REMOVED;
    if (parts.isLocalMode && !parts.isLoopback && !hasKey)
      throw new AppError(
        'configuration',
        'Others could reach this address, and there is no access key. Start once on 127.0.0.1 and set one: svc auth access-key. Or use accounts: SVC_SYSTEM_AUTH_MODE=cloud',
      );
    return new AccessKeyService(parts, stored);
  }

  get isRequired(): boolean {
    return this.#parts.isLocalMode && this.#stored !== REMOVED;
  }

  /** True where whoever passes the gate is the owner. */
  get isOpen(): boolean {
    return this.#parts.isLocalMode && this.#parts.isLoopback && this.#stored === REMOVED;
  }

  get exists(): boolean {
    return this.#stored !== undefined;
  }

  /** A session for whoever knows the key. */
  async verify(key: string, client: ClientInfo = {}): Promise<NewSession> {
    this.#requireLocalMode();
    const { database, sessions, hasher } = this.#parts;
    const stored = this.#stored;
    const isRight = stored === REMOVED || (stored !== undefined && (await hasher.matches(key, stored)));
    const session = sessions.prepare({ userId: ownerId, kind: 'sign-in', client });
    await database.write(async (transaction) => {
      if (isRight) await sessions.insert(transaction, session.row);
      await this.#record(transaction, 'auth.sign_in', client, isRight ? 'ok' : 'refused');
    });
    if (!isRight) throw new AppError('unauthenticated', 'That is not the access key');
    return session;
  }

  /** Sets the key; null removes the requirement, which only a daemon that nobody else reaches allows. */
  async set(key: string | null, client: ClientInfo = {}): Promise<void> {
    this.#requireLocalMode();
    if (key === null && !this.#parts.isLoopback)
      throw new AppError(
        'wrong_state',
        'The access key can only be removed while the daemon listens on a loopback address',
      );
    const stored = key === null ? REMOVED : await this.#parts.hasher.hash(key);
    await this.#parts.database.write(async (transaction) => {
      await writeState(transaction.db, HASH, stored);
      await this.#record(transaction, 'auth.access_key_changed', client, key === null ? 'removed' : 'set');
    });
    this.#stored = stored;
  }

  /** Makes a key of its own and answers it, once. */
  async generate(): Promise<string> {
    const key = this.#parts.surroundings.newSecret(18);
    await this.set(key);
    return key;
  }

  #requireLocalMode(): void {
    if (!this.#parts.isLocalMode)
      throw new AppError(
        'unsupported',
        'The access key belongs to local mode; here one signs in to an account',
      );
  }

  #record(transaction: WriteTransaction, tool: string, client: ClientInfo, result: string): Promise<void> {
    return this.#parts.audit.append(transaction, {
      kind: 'security',
      tool,
      userId: ownerId,
      address: client.address,
      arguments: { method: 'access-key' },
      result,
    });
  }
}
