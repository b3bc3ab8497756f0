import { hash } from 'node:crypto';
import type { User } from '../../contract/auth.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Caller } from './caller.ts';

const LIFETIME_MS = 30 * 86_400_000;
/** What was found stays known this long; what this daemon ends is forgotten at once. */
const KNOWN_MS = 1000;
const MAX_KNOWN = 1000;

export interface NewSession {
  /** The secret; only its hash is stored. */
  token: string;
  /** Undefined for a session that lasts until it is ended. */
  expiresAt: string | undefined;
}
interface FoundSession {
  user_id: string;
  role: string;
  expires_at: string | null;
}

/** Sessions as rows: a token is looked up by its hash, and ended it is gone at once. */
export class SessionService {
  readonly #database: Database;
  readonly #surroundings: Surroundings;
  readonly #bus: EventBus;
  readonly #find;
  readonly #known = new Map<string, { caller: Caller; until: number }>();

  constructor(database: Database, surroundings: Surroundings, bus: EventBus) {
    this.#bus = bus;
    this.#database = database;
    this.#surroundings = surroundings;
    this.#find = prepareQuery<{ hash: string }, FoundSession>((value) =>
      database.read
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select(['sessions.user_id', 'users.role', 'sessions.expires_at'])
        .where('token_hash', '=', value('hash')),
    );
  }

  /** Whose token this is, if it was looked up a moment ago. */
  recall(token: string): Caller | undefined {
    const known = this.#known.get(token);
    return known && known.until > this.#surroundings.monotonic() ? known.caller : undefined;
  }

  /** Whose token this is, or undefined when it is unknown, ended or expired. */
  async resolve(token: string): Promise<Caller | undefined> {
    const recalled = this.recall(token);
    if (recalled) return recalled;
    const sessionHash = hashToken(token);
    const { rows } = await this.#database.read.executeQuery(this.#find({ hash: sessionHash }));
    const [row] = rows;
    if (!row || (row.expires_at !== null && row.expires_at <= this.#surroundings.now().toISOString()))
      return undefined;
    const caller: Caller = {
      userId: row.user_id,
      role: row.role === 'admin' ? 'admin' : 'user',
      sessionHash,
    };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(token, { caller, until: this.#surroundings.monotonic() + KNOWN_MS });
    return caller;
  }

  /** A sign-in lasts 30 days; the owner's session on this machine lasts until it is replaced. */
  async create(userId: string, kind: 'sign-in' | 'owner'): Promise<NewSession> {
    const token = this.#surroundings.newSecret(32);
    const now = this.#surroundings.now();
    const expires = kind === 'owner' ? null : new Date(now.getTime() + LIFETIME_MS).toISOString();
    this.#known.clear();
    await this.#database.write(async ({ db }) => {
      if (kind === 'owner') await db.deleteFrom('sessions').where('kind', '=', kind).execute();
      else await db.deleteFrom('sessions').where('expires_at', '<', now.toISOString()).execute();
      await db
        .insertInto('sessions')
        .values({
          token_hash: hashToken(token),
          user_id: userId,
          kind,
          created_at: now.toISOString(),
          expires_at: expires,
        })
        .execute();
    });
    return { token, expiresAt: expires ?? undefined };
  }

  async end(caller: Caller): Promise<void> {
    const { sessionHash } = caller;
    if (sessionHash === undefined) return;
    await this.#database.write(({ db }) =>
      db.deleteFrom('sessions').where('token_hash', '=', sessionHash).execute(),
    );
    this.#known.clear();
    this.#bus.emit('session_ended', { sessionHash });
  }

  async user(caller: Caller): Promise<User> {
    const row = await this.#database.read
      .selectFrom('users')
      .selectAll()
      .where('id', '=', caller.userId)
      .executeTakeFirst();
    if (!row) throw new AppError('unauthenticated', 'Not signed in');
    const { id, email, name, role } = row;
    return {
      id,
      email,
      name,
      role: role === 'admin' ? 'admin' : 'user',
      connectedAccounts: [],
      hasCodehostToken: false,
    };
  }
}

const hashToken = (token: string) => hash('sha256', token);
