import type { Signup, UpdateProfile } from '../../contract/auth.ts';
import type { User } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { UserRow } from '../storage/rows/auth.ts';
import type { PairingStore } from './pairing-store.ts';
import type { Database } from '../storage/database.ts';
import type { Caller } from './caller.ts';
import type { KeyHasher } from './key-hasher.ts';
import { ownerId } from './owner.ts';
import type { Registration } from './registration.ts';
import type { ClientInfo, NewSession, SessionService } from './session-service.ts';
import { toSignedIn, type UserStore } from './user-store.ts';

export interface AccountServiceDeps {
  database: Database;
  users: UserStore;
  registration: Registration;
  sessions: SessionService;
  hasher: KeyHasher;
  pairings: PairingStore;
  audit: AuditLog;
}

export interface SignedIn {
  session: NewSession;
  user: ReturnType<typeof toSignedIn>;
}

/** Accounts with a password: sign-up, sign-in, profile. */
export class AccountService {
  readonly #deps: AccountServiceDeps;
  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  async signUp(signup: Signup, place: { isTrustedClient: boolean; client: ClientInfo }): Promise<SignedIn> {
    const { database, registration, sessions, hasher } = this.#deps;
    const { password, ...wish } = { ...signup, ...place };
    // Who may not sign up costs no hash.
    await registration.permit(database.read, wish);
    const passwordHash = await hasher.hash(password);
    return database.write(async (transaction) => {
      const row = await registration.register(transaction, { ...wish, passwordHash });
      const session = sessions.prepare({ userId: row.id, kind: 'sign-in', client: place.client });
      await sessions.insert(transaction, session.row);
      return { session, user: toSignedIn(row) };
    });
  }

  /** The same work and the same words for an unknown user, a wrong password and a closed account. */
  async signIn(email: string, password: string, client: ClientInfo): Promise<SignedIn> {
    const { users, hasher } = this.#deps;
    const decoy = hasher.decoyFor(email);
    const row = await users.findByEmail(email);
    const isRight = await hasher.matches(password, row?.password_hash ?? decoy);
    const isOpen = row !== undefined && row.password_hash !== null && row.disabled_at === null;
    if (isRight && isOpen) return this.#admit(row, client);
    await this.#refuse(row, client);
    throw wrong();
  }

  async user(caller: Caller): Promise<User> {
    const { users } = this.#deps;
    const row = await users.find(caller.userId);
    if (!row) throw new AppError('unauthenticated', 'Not signed in');
    return { ...(await users.describe(row)), role: caller.role };
  }

  async updateProfile(caller: Caller, profile: UpdateProfile): Promise<User> {
    const { database, users } = this.#deps;
    const { name, avatarUrl, bio, timezone, locale, onboardingCompleted } = profile;
    const row = await database.write(({ db }) =>
      users.update(db, caller.userId, {
        ...(name !== undefined && { name }),
        ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
        ...(bio !== undefined && { bio }),
        ...(timezone !== undefined && { timezone }),
        ...(locale !== undefined && { locale }),
        ...(onboardingCompleted !== undefined && { onboarding_completed: Number(onboardingCompleted) }),
      }),
    );
    return { ...(await users.describe(row)), role: caller.role };
  }

  /** Changes the password and ends every other session of the user. */
  async setPassword(
    caller: Caller,
    { currentPassword, newPassword }: { currentPassword?: string | undefined; newPassword: string },
    client: ClientInfo,
  ): Promise<void> {
    const { database, users, hasher, sessions, pairings, audit } = this.#deps;
    if (caller.userId === ownerId)
      throw new AppError(
        'wrong_state',
        'The owner of this machine signs in with the access key: svc auth access-key',
      );
    if (caller.deviceId !== undefined)
      throw new AppError(
        'forbidden',
        'A paired device cannot change the password. Sign in first: svc auth login',
      );
    const row = await users.find(caller.userId);
    const current = row?.password_hash ?? null;
    if (current !== null && !(await hasher.matches(currentPassword ?? '', current)))
      throw new AppError('forbidden', 'The current password is wrong');
    const password_hash = await hasher.hash(newPassword);
    await database.write(async (transaction) => {
      await users.update(transaction.db, caller.userId, { password_hash });
      await sessions.endMatching(transaction, {
        userId: caller.userId,
        ...(caller.sessionHash !== undefined && { exceptHash: caller.sessionHash }),
      });
      await pairings.withdrawFrom(transaction, caller.userId, 'The password was changed');
      await audit.append(transaction, {
        kind: 'security',
        tool: 'auth.password_changed',
        userId: caller.userId,
        address: client.address,
        result: 'ok',
      });
    });
  }

  #admit(row: UserRow, client: ClientInfo): Promise<SignedIn> {
    const { database, users, sessions } = this.#deps;
    const wish = { userId: row.id, kind: 'sign-in' as const, client };
    return database.write(async (transaction) => {
      // The password may have been changed, or the account closed, while the hash was compared.
      const now = await users.find(row.id, transaction.db);
      if (now?.password_hash !== row.password_hash || now?.disabled_at !== null) throw wrong();
      return { session: await sessions.signIn(transaction, wish, 'password'), user: toSignedIn(now) };
    });
  }

  /** What was typed is not kept: it may be the password of somebody in the wrong field. */
  async #refuse(row: UserRow | undefined, client: ClientInfo): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'auth.sign_in',
        userId: row?.id,
        address: client.address,
        arguments: { method: 'password' },
        result: 'refused',
      }),
    );
  }
}

const wrong = () => new AppError('unauthenticated', 'E-mail or password is wrong');
