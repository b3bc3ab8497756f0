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
import { requesterOf } from './sign-in-queue.ts';
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

interface SignupOrigin {
  isTrustedClient: boolean;
  client: ClientInfo;
}
interface NewPassword {
  currentPassword?: string | undefined;
  newPassword: string;
}

/** Accounts with a password: sign-up, sign-in, profile. */
export class AccountService {
  readonly #deps: AccountServiceDeps;
  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  signUp(signup: Signup, origin: SignupOrigin): Promise<SignedIn> {
    return this.#deps.hasher.during(() => this.#signUp(signup, origin));
  }

  async #signUp(signup: Signup, origin: SignupOrigin): Promise<SignedIn> {
    const { database, registration, sessions, hasher } = this.#deps;
    const { password, ...input } = { ...signup, ...origin };
    // Checked first, so that a refused sign-up costs no hash.
    await registration.permit(database.read, input);
    const passwordHash = await hasher.hash(password, requesterOf(origin.client, signup.email));
    return database.write(async (transaction) => {
      const row = await registration.register(transaction, { ...input, passwordHash });
      const session = sessions.prepare({ userId: row.id, kind: 'sign-in', client: origin.client });
      await sessions.insert(transaction, session.row);
      return { session, user: toSignedIn(row) };
    });
  }

  /** Takes the same time and gives the same error for an unknown user, a wrong password and a disabled account. */
  signIn(email: string, password: string, client: ClientInfo): Promise<SignedIn> {
    return this.#deps.hasher.during(() => this.#signIn(email, password, client));
  }

  async #signIn(email: string, password: string, client: ClientInfo): Promise<SignedIn> {
    const { users, hasher } = this.#deps;
    const decoy = hasher.decoyFor(email);
    const row = await users.findByEmail(email);
    const isMatch = await hasher.matches(password, row?.password_hash ?? decoy, requesterOf(client, email));
    const isEnabled = row !== undefined && row.password_hash !== null && row.disabled_at === null;
    if (isMatch && isEnabled) return this.#admit(row, client);
    await this.#refuse(row, client);
    throw wrongCredentials();
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
    const row = await database.write(async (transaction) => {
      await caller.auditEntry?.append(transaction);
      return users.update(transaction.db, caller.userId, {
        ...(name !== undefined && { name }),
        ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
        ...(bio !== undefined && { bio }),
        ...(timezone !== undefined && { timezone }),
        ...(locale !== undefined && { locale }),
        ...(onboardingCompleted !== undefined && { onboarding_completed: Number(onboardingCompleted) }),
      });
    });
    return { ...(await users.describe(row)), role: caller.role };
  }

  /** Changes the password and ends every other session of the user. */
  setPassword(caller: Caller, passwords: NewPassword, client: ClientInfo): Promise<void> {
    return this.#deps.hasher.during(() => this.#setPassword(caller, passwords, client));
  }

  async #setPassword(
    caller: Caller,
    { currentPassword, newPassword }: NewPassword,
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
    const requester = { isKnown: true, key: caller.userId };
    if (current !== null && !(await hasher.matches(currentPassword ?? '', current, requester)))
      throw new AppError('forbidden', 'The current password is wrong');
    const password_hash = await hasher.hash(newPassword, requester);
    await database.write(async (transaction) => {
      // Another change may have come first, which ended the other sessions: what they knew is not the password any more.
      await database.engine.lockUser(transaction.db, caller.userId);
      const now = await users.find(caller.userId, transaction.db);
      if ((now?.password_hash ?? null) !== current)
        throw new AppError('forbidden', 'The current password is wrong');
      await users.update(transaction.db, caller.userId, { password_hash });
      // First the requests: a device that is signed in meanwhile has a session that ends, too.
      await pairings.withdrawFrom(transaction, caller.userId, 'The password was changed');
      await sessions.endMatching(transaction, {
        userId: caller.userId,
        ...(caller.sessionHash !== undefined && { exceptHash: caller.sessionHash }),
      });
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
    const input = { userId: row.id, kind: 'sign-in' as const, client };
    return database.write(async (transaction) => {
      // The password or the account may have changed during the comparison; it does not until the commit.
      await database.engine.lockUser(transaction.db, row.id);
      const now = await users.find(row.id, transaction.db);
      if (now?.password_hash !== row.password_hash || now?.disabled_at !== null) throw wrongCredentials();
      return { session: await sessions.signIn(transaction, input, 'password'), user: toSignedIn(now) };
    });
  }

  /** The e-mail is not logged: it may be a password that was typed into the wrong field. */
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

const wrongCredentials = () => new AppError('unauthenticated', 'E-mail or password is wrong');
