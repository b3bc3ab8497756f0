import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import { AppError } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { SignedIn } from './account-service.ts';
import type { Caller } from './caller.ts';
import type { OneTimeTokens } from './one-time-tokens.ts';
import type { ClientInfo, SessionService } from './session-service.ts';
import { toSignedIn, type UserStore } from './user-store.ts';

const PURPOSE = 'sign-in-link';
const LIFETIME_MS = 60_000;

const linkSchema = z.object({
  userId: z.string(),
  role: z.enum(['user', 'admin']),
  sessionId: z.string().optional(),
  deviceId: z.string().optional(),
  returnTo: z.string().optional(),
});

export interface SignInLinkServiceDeps {
  database: Database;
  oneTimeTokens: OneTimeTokens;
  users: UserStore;
  sessions: SessionService;
}

/** Links that sign a browser in as the user of a session, once, within a minute. */
export class SignInLinkService {
  readonly #deps: SignInLinkServiceDeps;
  constructor(deps: SignInLinkServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a link that is valid as long as the session that made it; a session from it ends with the device. The
   * return path is stored with the token, so that it cannot be changed in the link.
   */
  create(
    { userId, role, sessionId, deviceId, auditEntry }: Caller,
    { returnTo }: { returnTo?: string | undefined } = {},
  ): Promise<{ token: string; expiresAt: string }> {
    const link = { userId, role, sessionId, deviceId, returnTo };
    return this.#deps.oneTimeTokens.issue(PURPOSE, link, LIFETIME_MS, auditEntry);
  }

  /** Creates a session for the first use of the token, with no more rights than the session that made the link. */
  async redeem(token: string, client: ClientInfo): Promise<SignedIn & { returnTo: string | undefined }> {
    const { database, oneTimeTokens, users, sessions } = this.#deps;
    const refusal = new AppError(
      'unauthenticated',
      'This link was used or has expired. Create another: svc auth link',
    );
    const link = safeParse(linkSchema, await oneTimeTokens.redeem(PURPOSE, token));
    if (!link.data) throw refusal;
    const { userId, role, sessionId, deviceId, returnTo } = link.data;
    const input = {
      userId,
      kind: 'sign-in' as const,
      role,
      client,
      ...(deviceId !== undefined && { deviceId }),
    };
    return database.write(async (transaction) => {
      // Neither the account nor the session that made the link ends until the commit, so that what ends them ends this one.
      await database.engine.lockUser(transaction.db, userId);
      const row = await users.find(userId, transaction.db);
      if (!row || row.disabled_at !== null) throw refusal;
      if (sessionId !== undefined && !(await this.#isOpen(transaction, sessionId))) throw refusal;
      const session = await sessions.signIn(transaction, input, 'link');
      const user = { ...toSignedIn(row), role: row.role === 'admin' ? role : ('user' as const) };
      return { session, user, returnTo };
    });
  }

  async #isOpen({ db }: WriteTransaction, sessionId: string): Promise<boolean> {
    const row = db.selectFrom('sessions').select('id').where('id', '=', sessionId);
    return (await this.#deps.database.engine.lock(row).executeTakeFirst()) !== undefined;
  }
}
