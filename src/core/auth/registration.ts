import type { Kysely } from 'kysely';
import type { Role } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { UserRow } from '../storage/rows/auth.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { Runtime } from '../runtime.ts';
import { roleOf } from './caller.ts';
import type { InviteService } from './invite-service.ts';
import type { ClientInfo } from './session-service.ts';
import type { SetupCode } from './setup-code.ts';
import type { UserStore } from './user-store.ts';

export interface RegistrationDeps {
  database: Pick<Database, 'engine'>;
  users: UserStore;
  invites: InviteService;
  setupCode: SetupCode;
  audit: AuditLog;
  bus: EventBus;
  config: Config;
  runtime: Runtime;
}

/** The data of a new account and the origin of the request. */
export interface RegistrationInput {
  email: string;
  name: string;
  passwordHash?: string;
  avatarUrl?: string | undefined;
  inviteCode?: string | undefined;
  /** Whether an OAuth provider has verified the address. */
  isEmailVerified?: boolean;
  /** Whether the client runs as the daemon's user on its machine, which may create the first account without a code. */
  isTrustedClient: boolean;
  client?: ClientInfo;
}

interface Permission {
  role: Role;
  inviteId?: string;
}

/** Decides who may create an account and with which role; the first account is an administrator. */
export class Registration {
  readonly #deps: RegistrationDeps;
  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Creates the account in this transaction, so that only one of many concurrent sign-ups is the first. */
  async register(transaction: WriteTransaction, input: RegistrationInput): Promise<UserRow> {
    const { database, users, invites, setupCode, audit, bus, runtime } = this.#deps;
    const { db } = transaction;
    await database.engine.enter(db, 'accounts');
    const { role, inviteId } = await this.permit(db, input);
    if (await users.findByEmail(input.email, db))
      throw new AppError('wrong_state', 'An account with this e-mail exists. Sign in instead.');
    const row: UserRow = {
      id: runtime.newId('user'),
      email: input.email,
      name: input.name,
      role,
      created_at: runtime.now().toISOString(),
      password_hash: input.passwordHash ?? null,
      avatar_url: input.avatarUrl ?? null,
      bio: null,
      timezone: null,
      locale: null,
      onboarding_completed: 0,
      disabled_at: null,
    };
    await db.insertInto('users').values(row).execute();
    if (inviteId !== undefined) await invites.use(db, inviteId, row.id);
    await audit.append(transaction, {
      kind: 'security',
      tool: 'auth.sign_up',
      userId: row.id,
      address: input.client?.address,
      arguments: { role, ...(inviteId !== undefined && { inviteId }) },
      result: 'ok',
    });
    await setupCode.remove(transaction);
    transaction.afterCommit(() => bus.emit('users_changed', undefined));
    return row;
  }

  /** What a person needs to create an account, before their address is known. */
  async requirement(isTrustedClient: boolean): Promise<'open' | 'invite' | 'setup_code'> {
    const { users, setupCode, config } = this.#deps;
    const mode = config.get('system.registrationMode');
    if (await users.hasAccounts()) return mode === 'open' ? 'open' : 'invite';
    if (isTrustedClient && mode !== 'invite') return 'open';
    return setupCode.read() === undefined ? 'invite' : 'setup_code';
  }

  /** Returns the role that the account would get; throws where it may not be created. */
  async permit(db: Kysely<Schema>, input: RegistrationInput): Promise<Permission> {
    const { users, invites, setupCode, config } = this.#deps;
    const { inviteCode: code, email, isEmailVerified = false } = input;
    const mode = config.get('system.registrationMode');
    const isFirst = !(await users.hasAccounts(db));
    if (isFirst && code !== undefined && setupCode.matches(code)) return { role: 'admin' };
    const invite = await invites.findUsable(db, { code, email, isEmailVerified });
    if (invite) return { role: roleOf(invite), inviteId: invite.id };
    if (code !== undefined) throw new AppError('forbidden', await invites.refusalOf(db, { code, email }));
    if (isFirst && input.isTrustedClient && mode !== 'invite') return { role: 'admin' };
    if (!isFirst && mode === 'open') return { role: 'user' };
    const message =
      isFirst && setupCode.read() !== undefined
        ? 'The first account needs the setup code, which is in a file in the data folder of the daemon'
        : 'An invite is required. Ask an administrator for one: svc auth invite';
    throw new AppError('validation', message, { details: [{ path: 'inviteCode', message }] });
  }
}
