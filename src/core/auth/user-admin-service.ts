import type { Account, UpdateAccount } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TokenService } from './tokens/token-service.ts';
import type { Caller } from './caller.ts';
import { ownerId } from './owner.ts';
import type { SessionService } from './session-service.ts';
import { toAccount, type UserStore } from './user-store.ts';

export interface UserAdminServiceDeps {
  database: Database;
  users: UserStore;
  sessions: SessionService;
  tokens: TokenService;
  audit: AuditLog;
  bus: EventBus;
  runtime: Runtime;
}

/** Lists and changes accounts, for administrators. */
export class UserAdminService {
  readonly #deps: UserAdminServiceDeps;
  constructor(deps: UserAdminServiceDeps) {
    this.#deps = deps;
  }

  async list(): Promise<Account[]> {
    return (await this.#deps.users.list()).map(toAccount);
  }

  /** Changes the role of an account or disables it, effective at once. The last administrator cannot be removed. */
  async update(caller: Caller, id: string, { role, disabled }: UpdateAccount): Promise<Account> {
    const { database, users, sessions, tokens, audit, bus, runtime } = this.#deps;
    if (id === ownerId) throw new AppError('wrong_state', 'The owner of this machine cannot be changed');
    return database.write(async (transaction) => {
      await database.engine.enter(transaction.db, 'accounts');
      const before = await users.find(id, transaction.db);
      if (!before) throw new AppError('not_found', 'User not found');
      const disabledAt = before.disabled_at ?? runtime.now().toISOString();
      const after = await users.update(transaction.db, id, {
        ...(role !== undefined && { role }),
        ...(disabled !== undefined && { disabled_at: disabled ? disabledAt : null }),
      });
      await this.#requireAdmin(transaction);
      if (after.disabled_at !== null) await sessions.endMatching(transaction, { userId: id });
      await audit.append(transaction, {
        kind: 'security',
        tool: 'auth.account_changed',
        userId: caller.userId,
        arguments: { accountId: id, role: after.role, disabled: after.disabled_at !== null },
        result: 'ok',
      });
      transaction.afterCommit(() => {
        sessions.forget();
        tokens.forget();
        bus.emit('rights_changed', { userId: id });
      });
      return toAccount(after);
    });
  }

  async #requireAdmin({ db }: WriteTransaction): Promise<void> {
    const admin = await db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'admin')
      .where('disabled_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (!admin) throw new AppError('wrong_state', 'The last administrator cannot be removed or disabled');
  }
}
