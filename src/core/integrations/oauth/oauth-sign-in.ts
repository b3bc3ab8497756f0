import { safeParse } from '../../../contract/safe-parse.ts';
import { nameSchema } from '../../../contract/users.ts';
import { wireName } from '../../../contract/vendors.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../storage/rows/auth.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { SignedIn } from '../../auth/account-service.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Registration } from '../../auth/registration.ts';
import type { ClientInfo, SessionService } from '../../auth/session-service.ts';
import { toSignedIn, type UserStore } from '../../auth/user-store.ts';
import type { ConnectionService } from './connection-service.ts';
import type { ConnectionStore } from './connection-store.ts';
import type { FinishedFlow } from './oauth-flow.ts';
import type { ProviderProfile } from './provider-profiles.ts';

const provider = 'github';
const linkedElsewhere =
  'This GitHub account is connected to another account here. Disconnect it from that account first, or sign out to sign in with GitHub.';

export interface OAuthSignInDeps {
  database: Database;
  users: UserStore;
  registration: Registration;
  sessions: SessionService;
  store: ConnectionStore;
  connections: ConnectionService;
  audit: AuditLog;
}

/** The context in which a flow is finished. */
export interface SignInContext {
  /** The user of the browser's session, if any. */
  caller: Caller | undefined;
  isTrustedClient: boolean;
  client: ClientInfo;
}

/** Sign-in with a GitHub account: users are known by GitHub's id of it, never by an e-mail. */
export class OAuthSignIn {
  readonly #deps: OAuthSignInDeps;
  constructor(deps: OAuthSignInDeps) {
    this.#deps = deps;
  }

  /** A new session of the account's user, of the user who connects it now, or of a new user. */
  async signIn(flow: FinishedFlow, context: SignInContext): Promise<SignedIn> {
    const signedIn = await this.#deps.database.write(async (transaction) => {
      const row = await this.#userOf(transaction, flow, context);
      if (row.disabled_at !== null) return this.#refuse(transaction, row, context);
      return this.#admit(transaction, row, context);
    });
    if (!signedIn) throw new AppError('forbidden', 'This account is disabled. Ask an administrator.');
    return signedIn;
  }

  async #userOf(transaction: WriteTransaction, flow: FinishedFlow, context: SignInContext): Promise<UserRow> {
    const { database, store, connections } = this.#deps;
    const { client } = context;
    const { profile, userId: startedBy } = flow;
    const find = () => store.userOf(transaction, provider, profile.accountId);
    const known =
      (await find()) ??
      // The same account may sign in for the first time elsewhere.
      (await database.engine.enter(transaction.db, 'accounts').then(find));
    if (known !== undefined) {
      if (startedBy !== undefined && startedBy !== known) throw new AppError('forbidden', linkedElsewhere);
      // It is not disabled until the commit, so that what disables it ends this session.
      await database.engine.lockUser(transaction.db, known);
      const row = await this.#find(transaction, known);
      if (row.disabled_at === null)
        await connections.renewIn(transaction, { userId: row.id, provider, client }, flow);
      return row;
    }
    const row =
      startedBy === undefined
        ? await this.#register(transaction, profile, context)
        : requireFullSession(await this.#find(transaction, startedBy), context.caller);
    await connections.connectIn(transaction, { userId: row.id, provider, client }, flow);
    return row;
  }

  async #register(
    transaction: WriteTransaction,
    { accountId, login, name, email: verified, avatarUrl }: ProviderProfile,
    { isTrustedClient, client }: SignInContext,
  ): Promise<UserRow> {
    const { users, registration } = this.#deps;
    const email = verified ?? `${accountId}+${login}@users.noreply.github.com`.toLowerCase();
    // The owner of the address at the vendor may be another person than the owner of the account here.
    if (await users.findByEmail(email, transaction.db))
      throw new AppError(
        'forbidden',
        'An account with this e-mail exists. Sign in to it first, then connect GitHub.',
      );
    return registration.register(transaction, {
      email,
      name: asName(name, login),
      avatarUrl,
      isEmailVerified: verified !== undefined,
      isTrustedClient,
      client,
    });
  }

  async #admit(transaction: WriteTransaction, row: UserRow, { client }: SignInContext): Promise<SignedIn> {
    const request = { userId: row.id, kind: 'sign-in', client } as const;
    const session = await this.#deps.sessions.signIn(transaction, request, wireName(provider));
    return { session, user: toSignedIn(row) };
  }

  async #find({ db }: WriteTransaction, id: string): Promise<UserRow> {
    const row = await this.#deps.users.find(id, db);
    if (!row) throw new AppError('unauthenticated', 'Not signed in');
    return row;
  }

  async #refuse(transaction: WriteTransaction, row: UserRow, { client }: SignInContext): Promise<undefined> {
    await this.#deps.audit.append(transaction, {
      kind: 'security',
      tool: 'auth.sign_in',
      userId: row.id,
      address: client.address,
      arguments: { method: wireName(provider) },
      result: 'refused',
    });
  }
}

/** A connected account can sign in for ever, so a session with fewer rights may not connect one. */
function requireFullSession(row: UserRow, caller: Caller | undefined): UserRow {
  if (caller && caller.role === toSignedIn(row).role && caller.deviceId === undefined) return row;
  throw new AppError('forbidden', 'A paired device may not connect GitHub. Sign in with a browser first.');
}

/** The name at the vendor as one of ours: one line, nothing invisible, not too long. */
function asName(name: string, login: string): string {
  const plain = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trim();
  return safeParse(nameSchema, plain.slice(0, 100).trim()).data ?? login;
}
