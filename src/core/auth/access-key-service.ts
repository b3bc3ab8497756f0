import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import type { Surroundings } from '../surroundings.ts';
import type { KeyHasher } from './key-hasher.ts';
import { owner } from './owner-service.ts';
import type { NewSession, SessionService } from './session-service.ts';

const HASH = 'access_key_hash';
const REMOVED = 'removed';

export interface AccessKeyParts {
  database: Database;
  sessions: SessionService;
  hasher: KeyHasher;
  surroundings: Surroundings;
  /** True when only this machine can reach the daemon. */
  isLoopback: boolean;
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
    if (!parts.isLoopback && !hasKey)
      throw new AppError(
        'configuration',
        'Others could reach this address, and there is no access key. Start once on 127.0.0.1 and set one: svc auth access-key',
      );
    return new AccessKeyService(parts, stored);
  }

  get isRequired(): boolean {
    return this.#stored !== REMOVED;
  }

  get exists(): boolean {
    return this.#stored !== undefined;
  }

  /** A session for whoever knows the key. */
  async verify(key: string): Promise<NewSession> {
    const stored = this.#stored;
    const isRight =
      stored === REMOVED || (stored !== undefined && (await this.#parts.hasher.matches(key, stored)));
    if (!isRight) throw new AppError('unauthenticated', 'That is not the access key');
    return this.#parts.sessions.create(owner.userId, 'sign-in');
  }

  /** Sets the key; null removes the requirement, which only a daemon that nobody else reaches allows. */
  async set(key: string | null): Promise<void> {
    if (key === null && !this.#parts.isLoopback)
      throw new AppError(
        'wrong_state',
        'The access key can only be removed while the daemon listens on a loopback address',
      );
    const stored = key === null ? REMOVED : await this.#parts.hasher.hash(key);
    await this.#parts.database.write(({ db }) => writeState(db, HASH, stored));
    this.#stored = stored;
  }

  /** Makes a key of its own and answers it, once. */
  async generate(): Promise<string> {
    const key = this.#parts.surroundings.newSecret(18);
    await this.set(key);
    return key;
  }
}
