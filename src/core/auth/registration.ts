import type { Kysely } from 'kysely';
import type { Role } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { UserRow } from '../storage/rows/auth.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { Runtime } from '../runtime.ts';
import { roleOf } from './caller.ts';
import type { InviteService } from './invite-service.ts';
import type { ClientInfo } from './session-service.ts';
import type { SetupCode } from './setup-code.ts';
import type { UserStore } from './user-store.ts';

export interface RegistrationDeps {
  users: UserStore;
  invites: InviteService;
  setupCode: SetupCode;
  audit: AuditLog;
  config: Config;
  runtime: Runtime;
}

/** Who wants an account, and from where. */
export interface RegistrationWish {
  email: string;
  name: string;
  passwordHash?: string;
  avatarUrl?: string | undefined;
  inviteCode?: string | undefined;
  /** A vendor says that the address is theirs. */
  isEmailVerified?: boolean;
  /** Whoever asks works as the daemon's own user on its machine, so the first account is theirs for the asking. */
  isTrustedClient: boolean;
  client?: ClientInfo;
}

interface Permission {
  role: Role;
  inviteId?: string;
}

/** Decides who may have an account and with which role; the first account is an administrator's. */
export class Registration {
  readonly #deps: RegistrationDeps;
  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Makes the account in this transaction, so that of many first ones at once one is the first. */
  async register(transaction: WriteTransaction, wish: RegistrationWish): Promise<UserRow> {
    const { users, invites, setupCode, audit, runtime } = this.#deps;
    const { db } = transaction;
    const { role, inviteId } = await this.permit(db, wish);
    if (await users.findByEmail(wish.email, db))
      throw new AppError('wrong_state', 'An account with this e-mail exists. Sign in instead.');
    const row: UserRow = {
      id: runtime.newId('user'),
      email: wish.email,
      name: wish.name,
      role,
      created_at: runtime.now().toISOString(),
      password_hash: wish.passwordHash ?? null,
      avatar_url: wish.avatarUrl ?? null,
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
      address: wish.client?.address,
      arguments: { role, ...(inviteId !== undefined && { inviteId }) },
      result: 'ok',
    });
    transaction.afterCommit(() => setupCode.remove());
    return row;
  }

  /** The role that the account would get; throws where it may not be made. */
  async permit(db: Kysely<Schema>, wish: RegistrationWish): Promise<Permission> {
    const { users, invites, setupCode, config } = this.#deps;
    const { inviteCode: code, email, isEmailVerified = false } = wish;
    const mode = config.get('system.registrationMode');
    const isFirst = !(await users.hasAccounts(db));
    if (isFirst && code !== undefined && setupCode.matches(code)) return { role: 'admin' };
    const invite = await invites.findUsable(db, { code, email, isEmailVerified });
    if (invite) return { role: roleOf(invite), inviteId: invite.id };
    if (code !== undefined) throw new AppError('forbidden', 'This invite code is not valid (any more)');
    if (isFirst && wish.isTrustedClient && mode !== 'invite') return { role: 'admin' };
    if (!isFirst && mode === 'open') return { role: 'user' };
    const message =
      isFirst && setupCode.read() !== undefined
        ? 'The first account needs the set-up code, which the daemon keeps in its data folder'
        : 'An invite is needed. Ask an administrator for one: svc auth invite';
    throw new AppError('validation', message, { details: [{ path: 'inviteCode', message }] });
  }
}
