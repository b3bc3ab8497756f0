import type { Kysely } from 'kysely';
import { type Caller, isAdmin } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import type { Schema } from '../../storage/schema.ts';

/** Resolves a user id, where `me` is the caller; only administrators can name others. */
export async function namedOwner(db: Kysely<Schema>, caller: Caller, userId = 'me'): Promise<string> {
  if (userId === 'me' || userId === caller.userId) return caller.userId;
  const user = isAdmin(caller)
    ? await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()
    : undefined;
  if (!user) throw new AppError('not_found', 'User not found');
  return user.id;
}

/** Requires that the conversation belongs to the owner, for administrators, too. */
export async function requireConversationOf(db: Kysely<Schema>, ownerId: string, id: string): Promise<void> {
  const row = await db.selectFrom('conversations').select('owner_id').where('id', '=', id).executeTakeFirst();
  if (row?.owner_id !== ownerId) throw new AppError('not_found', 'Conversation not found');
}
