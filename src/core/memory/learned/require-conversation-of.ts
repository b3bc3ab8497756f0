import type { Kysely } from 'kysely';
import { AppError } from '../../errors.ts';
import type { Schema } from '../../storage/schema.ts';

/** Refuses a conversation of another user as the source, also for an administrator. */
export async function requireConversationOf(db: Kysely<Schema>, ownerId: string, id: string): Promise<void> {
  const row = await db.selectFrom('conversations').select('owner_id').where('id', '=', id).executeTakeFirst();
  if (row?.owner_id !== ownerId) throw new AppError('not_found', 'Conversation not found');
}
