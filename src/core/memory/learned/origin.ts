import type { Origin } from '../../../contract/experiences.ts';
import type { OriginColumns } from '../../storage/memory-rows.ts';

/** Where what is learned comes from, as rows keep it. */
export const toOriginColumns = ({ kind, taskId, conversationId, trusted }: Origin): OriginColumns => ({
  origin: kind,
  source_task_id: taskId ?? null,
  source_conversation_id: conversationId ?? null,
  is_trusted: trusted ? 1 : 0,
});

export const toOrigin = (row: OriginColumns & { owner_id: string }): Origin => ({
  kind: row.origin as Origin['kind'],
  userId: row.owner_id,
  ...(row.source_task_id !== null && { taskId: row.source_task_id }),
  ...(row.source_conversation_id !== null && { conversationId: row.source_conversation_id }),
  trusted: row.is_trusted === 1,
});
