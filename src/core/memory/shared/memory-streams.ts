import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.ts';

/** The stream of added and removed experiences; those of folders have their absolute paths as names. */
export const EXPERIENCES = 'experiences';

/** Removed files and changes of experiences are remembered so long; an index that was away longer reads everything again. */
export const REMEMBERED_MS = 7 * 86_400_000;

/** The counter of blocks of chunk ids, which is no stream. */
const CHUNK_IDS = 'chunk ids';

/**
 * Raises the number of a stream and answers the last of the new ones. Until the commit no other transaction gets one, so
 * that a reader who has read all changes up to a number has missed none before it.
 */
export async function raiseStream(db: Kysely<Schema>, name: string, by = 1): Promise<number> {
  const { rev } = await db
    .insertInto('memory_streams')
    .values({ name, rev: by, floor: 0, host: null, keeper: null, synced_at: null })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((is) => ({ rev: is('memory_streams.rev', '+', by) })),
    )
    .returning('rev')
    .executeTakeFirstOrThrow();
  return rev;
}

/** The number of a block of chunk ids that no other daemon gets; the first is 1. */
export const takeIdBlock = (db: Kysely<Schema>): Promise<number> => raiseStream(db, CHUNK_IDS);
