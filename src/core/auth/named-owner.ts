import type { Kysely } from 'kysely';
import { AppError } from '../errors.ts';
import type { Schema } from '../storage/schema.ts';
import { type Caller, isAdmin } from './caller.ts';

/** The id of the named user, where `me` is the caller. Other users exist only for administrators. */
export async function namedOwner(db: Kysely<Schema>, caller: Caller, named = 'me'): Promise<string> {
  if (named === 'me' || named === caller.userId) return caller.userId;
  const user = isAdmin(caller)
    ? await db.selectFrom('users').select('id').where('id', '=', named).executeTakeFirst()
    : undefined;
  if (!user) throw new AppError('not_found', 'User not found');
  return user.id;
}
