import type { Kysely } from 'kysely';
import { type Caller, isAdmin } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import type { Schema } from '../../storage/schema.ts';

/** The user of that name, `me` being the caller; others are there for administrators alone. */
export async function namedOwner(db: Kysely<Schema>, caller: Caller, named = 'me'): Promise<string> {
  if (named === 'me' || named === caller.userId) return caller.userId;
  const user = isAdmin(caller)
    ? await db.selectFrom('users').select('id').where('id', '=', named).executeTakeFirst()
    : undefined;
  if (!user) throw new AppError('not_found', 'User not found');
  return user.id;
}

/** Nothing is said to come from a conversation of somebody else, not by an administrator either. */
export async function requireConversationOf(db: Kysely<Schema>, ownerId: string, id: string): Promise<void> {
  const row = await db.selectFrom('conversations').select('owner_id').where('id', '=', id).executeTakeFirst();
  if (row?.owner_id !== ownerId) throw new AppError('not_found', 'Conversation not found');
}
