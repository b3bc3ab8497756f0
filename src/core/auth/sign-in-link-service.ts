import { z } from 'zod';
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
   * A link is good as long as the session that made it; what a device makes ends with it. The path that the browser
   * goes to then is kept with the token, so that nobody can make another of it.
   */
  create(
    { userId, role, sessionId, deviceId }: Caller,
    { returnTo }: { returnTo?: string | undefined } = {},
  ): Promise<{ token: string; expiresAt: string }> {
    const link = { userId, role, sessionId, deviceId, returnTo };
    return this.#deps.oneTimeTokens.issue(PURPOSE, link, LIFETIME_MS);
  }

  /** A session for whoever has the token first; it may do no more than the one that made the link. */
  async redeem(token: string, client: ClientInfo): Promise<SignedIn & { returnTo: string | undefined }> {
    const { database, oneTimeTokens, users, sessions } = this.#deps;
    const refusal = new AppError(
      'unauthenticated',
      'This link was used or is too old. Make another: svc auth link',
    );
    const link = linkSchema.safeParse(await oneTimeTokens.redeem(PURPOSE, token));
    const row = link.data && (await users.find(link.data.userId));
    if (!link.data || !row || row.disabled_at !== null) throw refusal;
    const { role, sessionId, deviceId, returnTo } = link.data;
    const wish = {
      userId: row.id,
      kind: 'sign-in' as const,
      role,
      client,
      ...(deviceId !== undefined && { deviceId }),
    };
    const session = await database.write(async (transaction) => {
      if (sessionId !== undefined && !(await isOpen(transaction, sessionId))) throw refusal;
      return sessions.signIn(transaction, wish, 'link');
    });
    const user = { ...toSignedIn(row), role: row.role === 'admin' ? role : ('user' as const) };
    return { session, user, returnTo };
  }
}

const isOpen = async ({ db }: WriteTransaction, sessionId: string): Promise<boolean> =>
  (await db.selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst()) !== undefined;
