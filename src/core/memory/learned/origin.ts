import type { Origin } from '../../../contract/experiences.ts';
import type { Caller } from '../../auth/caller.ts';
import type { OriginColumns } from '../../storage/rows/memory.ts';

/** The origin of statements that a user makes directly. */
export const userOrigin = ({ userId }: Caller, conversationId?: string): Origin => ({
  kind: 'user',
  userId,
  ...(conversationId !== undefined && { conversationId }),
  trusted: true,
});

/** The origin as row columns. */
export const toOriginColumns = ({
  kind,
  userId,
  taskId,
  conversationId,
  trusted,
}: Origin): OriginColumns => ({
  origin: kind,
  origin_user_id: userId,
  source_task_id: taskId ?? null,
  source_conversation_id: conversationId ?? null,
  is_trusted: trusted ? 1 : 0,
});

export const toOrigin = (row: OriginColumns): Origin => ({
  kind: row.origin as Origin['kind'],
  userId: row.origin_user_id,
  ...(row.source_task_id !== null && { taskId: row.source_task_id }),
  ...(row.source_conversation_id !== null && { conversationId: row.source_conversation_id }),
  trusted: row.is_trusted === 1,
});
