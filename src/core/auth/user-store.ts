import type { Kysely } from 'kysely';
import { type Account, connectedFields, type User } from '../../contract/users.ts';
import { vendorOf } from '../../contract/vendors.ts';
import { AppError } from '../errors.ts';
import type { UserRow } from '../storage/rows/auth.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';
import { roleOf } from './caller.ts';
import { ownerId } from './owner.ts';

/** Rows of users. */
export class UserStore {
  readonly #database: Database;
  readonly #find;

  constructor(database: Database) {
    this.#database = database;
    this.#find = prepareQuery<{ id: string }, UserRow>((value) =>
      database.read.selectFrom('users').selectAll().where('id', '=', value('id')),
    );
  }

  async find(id: string, db: Kysely<Schema> = this.#database.read): Promise<UserRow | undefined> {
    return (await db.executeQuery(this.#find({ id }))).rows[0];
  }

  findByEmail(email: string, db: Kysely<Schema> = this.#database.read): Promise<UserRow | undefined> {
    return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  }

  list(): Promise<UserRow[]> {
    return this.#database.read.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
  }

  /** Whether any account was registered; the owner of this machine does not count. */
  async hasAccounts(db: Kysely<Schema> = this.#database.read): Promise<boolean> {
    const row = await db
      .selectFrom('users')
      .select('id')
      .where('id', '!=', ownerId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async update(db: Kysely<Schema>, id: string, change: Partial<UserRow>): Promise<UserRow> {
    if (Object.keys(change).length > 0)
      await db.updateTable('users').set(change).where('id', '=', id).execute();
    const row = await this.find(id, db);
    if (!row) throw new AppError('not_found', 'User not found');
    return row;
  }

  /** The profile of a user, with the names of their connections. */
  async describe(row: UserRow): Promise<User> {
    const connections = await this.#database.read
      .selectFrom('connections')
      .select('provider')
      .where('owner_id', '=', row.id)
      .orderBy('provider')
      .execute();
    return {
      id: row.id,
      email: row.email,
      name: row.name,
      role: roleOf(row),
      ...connectedFields(connections.map(({ provider }) => vendorOf(provider))),
      ...(row.avatar_url !== null && { avatarUrl: row.avatar_url }),
      ...(row.bio !== null && { bio: row.bio }),
      ...(row.timezone !== null && { timezone: row.timezone }),
      ...(row.locale !== null && { locale: row.locale }),
      onboardingCompleted: row.onboarding_completed === 1,
    };
  }
}

/** The user in the response to a sign-in. */
export const toSignedIn = (row: UserRow) => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: roleOf(row),
});

export const toAccount = (row: UserRow): Account => ({
  ...toSignedIn(row),
  createdAt: row.created_at,
  disabled: row.disabled_at !== null,
  hasPassword: row.password_hash !== null,
  isOwner: row.id === ownerId,
});
