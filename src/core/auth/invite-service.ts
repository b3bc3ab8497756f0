import type { Kysely } from 'kysely';
import type { CreateInvite, Invite } from '../../contract/invites.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError } from '../errors.ts';
import type { InviteRow } from '../storage/rows/auth.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { Runtime } from '../runtime.ts';
import { type Caller, roleOf } from './caller.ts';
import { hashToken } from './hash-token.ts';

const DAY_MS = 86_400_000;

export interface InviteServiceDeps {
  database: Database;
  audit: AuditLog;
  runtime: Runtime;
}

/** Invites: each code creates one account. */
export class InviteService {
  readonly #deps: InviteServiceDeps;
  constructor(deps: InviteServiceDeps) {
    this.#deps = deps;
  }

  async create(caller: Caller, input: CreateInvite): Promise<{ invite: Invite; code: string }> {
    const { database, audit, runtime } = this.#deps;
    const code = runtime.newSecret(18);
    const now = runtime.now();
    const row: InviteRow = {
      id: runtime.newId('invite'),
      code_hash: hashToken(code),
      email: input.email ?? null,
      role: input.role,
      created_by: caller.userId,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + input.expiresInDays * DAY_MS).toISOString(),
      used_by: null,
      used_at: null,
    };
    await database.write(async (transaction) => {
      await transaction.db.insertInto('invites').values(row).execute();
      await audit.append(transaction, {
        kind: 'security',
        tool: 'auth.invite_created',
        userId: caller.userId,
        arguments: { inviteId: row.id, role: row.role },
        result: 'ok',
      });
    });
    return { invite: toInvite(row), code };
  }

  async list(): Promise<Invite[]> {
    const rows = await this.#deps.database.read
      .selectFrom('invites')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(500)
      .execute();
    return rows.map(toInvite);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write(async (transaction) => {
      const { numDeletedRows } = await transaction.db
        .deleteFrom('invites')
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new AppError('not_found', 'Invite not found');
      await audit.append(transaction, {
        kind: 'security',
        tool: 'auth.invite_removed',
        userId: caller.userId,
        arguments: { inviteId: id },
        result: 'ok',
      });
    });
  }

  /** The open invite with this code, or without a code the one for a verified e-mail address. */
  async findUsable(
    db: Kysely<Schema>,
    by: { code?: string | undefined; email: string; isEmailVerified: boolean },
  ): Promise<InviteRow | undefined> {
    const now = this.#deps.runtime.now().toISOString();
    // Invites by users who are no longer administrators are void.
    const inviters = db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'admin')
      .where('disabled_at', 'is', null);
    const open = db
      .selectFrom('invites')
      .selectAll()
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .where('created_by', 'in', inviters);
    if (by.code !== undefined) {
      const row = await open.where('code_hash', '=', hashToken(by.code)).executeTakeFirst();
      return row && (row.email === null || row.email === by.email) ? row : undefined;
    }
    return by.isEmailVerified ? open.where('email', '=', by.email).executeTakeFirst() : undefined;
  }

  /** Why this code cannot be used for this address; only people who have the code learn more than that. */
  async refusalOf(db: Kysely<Schema>, { code, email }: { code: string; email: string }): Promise<string> {
    const row = await db
      .selectFrom('invites')
      .select(['used_at', 'expires_at', 'email'])
      .where('code_hash', '=', hashToken(code))
      .executeTakeFirst();
    if (!row) return 'The invite code is not valid. Check that it is complete.';
    if (row.used_at !== null) return 'This invite has been used. An invite is for one account.';
    if (row.expires_at <= this.#deps.runtime.now().toISOString()) return 'This invite has expired.';
    if (row.email !== null && row.email !== email) return 'This invite is for another e-mail address.';
    return 'This invite is no longer valid, because its creator is no longer an administrator.';
  }

  async use(db: Kysely<Schema>, id: string, userId: string): Promise<void> {
    await db
      .updateTable('invites')
      .set({ used_by: userId, used_at: this.#deps.runtime.now().toISOString() })
      .where('id', '=', id)
      .execute();
  }
}

const toInvite = (row: InviteRow): Invite => ({
  id: row.id,
  role: roleOf(row),
  ...(row.email !== null && { email: row.email }),
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  ...(row.used_at !== null && { usedAt: row.used_at }),
  ...(row.used_by !== null && { usedBy: row.used_by }),
});
