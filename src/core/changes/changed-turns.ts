import type { z } from 'zod';
import type { changedTurnSchema } from '../../contract/changes.ts';
import type { Database } from '../storage/database.ts';
import type { FileChangeRow } from '../storage/rows/file-changes.ts';
import { netChanges } from './net-changes.ts';

const MAX_MESSAGE = 200;

/** The changes of the last turn that changed files and of which nothing was undone. */
export function lastTurn(rows: readonly FileChangeRow[]): FileChangeRow[] {
  const turns = [...Map.groupBy(rows, ({ run_id }) => run_id).values()];
  const open = turns.filter((turn) => turn.every(({ undone_at }) => undone_at === null));
  return open.findLast((turn) => netChanges(turn).length > 0) ?? [];
}

/** The turn of these changes, with the first line of the message that it answers. */
export async function changedTurn(
  { read }: Pick<Database, 'read'>,
  conversationId: string,
  [first]: readonly FileChangeRow[],
): Promise<z.output<typeof changedTurnSchema> | undefined> {
  if (!first) return undefined;
  const asked = await read
    .selectFrom('messages')
    .select('content')
    .where('conversation_id', '=', conversationId)
    .where('role', '=', 'user')
    .where('created_at', '<=', first.created_at)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const message = asked?.content.trim().split('\n')[0]?.slice(0, MAX_MESSAGE).toWellFormed();
  return { id: first.run_id, at: first.created_at, ...(message && { message }) };
}
