import type { Kysely } from 'kysely';
import type { SessionRow } from '../storage/rows/auth.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';

export interface FoundSession {
  id: string;
  owner_id: string;
  /** The upper limit of its rights. */
  role: string;
  user_role: string;
  device_id: string | null;
  /** 1 where its device may only look, decide and cancel; null without a device. */
  limited: number | null;
  last_seen_at: string;
  expires_at: string | null;
}

/** Rows of sessions. */
export class SessionStore {
  readonly #database: Database;
  readonly #find;

  constructor(database: Database) {
    this.#database = database;
    this.#find = prepareQuery<{ hash: string }, FoundSession>((value) =>
      database.read
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.owner_id')
        .leftJoin('devices', 'devices.id', 'sessions.device_id')
        .select([
          'sessions.id',
          'sessions.owner_id',
          'sessions.role',
          'users.role as user_role',
          'sessions.device_id',
          'devices.limited',
          'sessions.last_seen_at',
          'sessions.expires_at',
        ])
        .where('token_hash', '=', value('hash'))
        .where('users.disabled_at', 'is', null),
    );
  }

  async find(tokenHash: string): Promise<FoundSession | undefined> {
    return (await this.#database.read.executeQuery(this.#find({ hash: tokenHash }))).rows[0];
  }

  /** The sessions of a user that have not expired, newest first. */
  list(userId: string, now: string): Promise<SessionRow[]> {
    return this.#database.read
      .selectFrom('sessions')
      .selectAll()
      .where('owner_id', '=', userId)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
  }

  async insert({ db }: WriteTransaction, row: SessionRow): Promise<void> {
    // Each daemon has one owner session, which names it in a cluster; of other kinds only expired ones are deleted.
    const stale = db.deleteFrom('sessions');
    const { kind, user_agent: daemon } = row;
    if (kind === 'owner')
      await stale
        .where('kind', '=', kind)
        .where('user_agent', daemon === null ? 'is' : '=', daemon)
        .execute();
    else await stale.where('expires_at', '<', row.created_at).execute();
    await db.insertInto('sessions').values(row).execute();
  }

  /** Deletes the matching sessions; returns the hashes of their tokens. */
  async delete(
    { db }: WriteTransaction,
    which: {
      id?: string;
      userId?: string;
      deviceId?: string;
      tokenHash?: string;
      kind?: string;
      exceptHash?: string;
    },
  ): Promise<string[]> {
    const { id, userId, deviceId, tokenHash, kind, exceptHash } = which;
    if (id === undefined && userId === undefined && deviceId === undefined && tokenHash === undefined)
      throw new Error('Refusing to delete sessions without a filter');
    let query = db.deleteFrom('sessions');
    if (id !== undefined) query = query.where('id', '=', id);
    if (userId !== undefined) query = query.where('owner_id', '=', userId);
    if (deviceId !== undefined) query = query.where('device_id', '=', deviceId);
    if (tokenHash !== undefined) query = query.where('token_hash', '=', tokenHash);
    if (kind !== undefined) query = query.where('kind', '=', kind);
    if (exceptHash !== undefined) query = query.where('token_hash', '!=', exceptHash);
    return (await query.returning('token_hash').execute()).map(({ token_hash }) => token_hash);
  }

  async touch(db: Kysely<Schema>, id: string, at: string): Promise<void> {
    await db.updateTable('sessions').set({ last_seen_at: at }).where('id', '=', id).execute();
  }
}
