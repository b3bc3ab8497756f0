import type { ChatMessage, FinishReason, PresetId } from '../../contract/chat.ts';
import type {
  Conversation,
  ConversationMessage,
  MessageError,
  MessageStatus,
} from '../../contract/conversations.ts';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';

export const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  title: row.title,
  presetId: row.preset_id as PresetId,
  ...(row.task_id !== null && { taskId: row.task_id }),
  ...(row.cwd !== null && { cwd: row.cwd }),
  ...(row.agent !== null && { agent: row.agent }),
  messageCount: row.message_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function toMessage(row: MessageRow): ConversationMessage {
  const usage = {
    ...(row.prompt_tokens !== null && { promptTokens: row.prompt_tokens }),
    ...(row.completion_tokens !== null && { completionTokens: row.completion_tokens }),
    ...(row.total_tokens !== null && { totalTokens: row.total_tokens }),
  };
  return {
    id: row.id,
    conversationId: row.conversation_id,
    role: row.role as ChatMessage['role'],
    content: row.content,
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.model !== null && { model: row.model }),
    ...(Object.keys(usage).length > 0 && { usage }),
    ...(row.cost_usd !== null && { costUsd: row.cost_usd }),
    ...(row.tool_calls !== null && {
      toolCalls: JSON.parse(row.tool_calls) as NonNullable<ConversationMessage['toolCalls']>,
    }),
    ...(row.role === 'assistant' && { status: (row.status ?? 'completed') as MessageStatus }),
    ...(row.error !== null && { error: JSON.parse(row.error) as MessageError }),
    ...(row.finish_reason !== null && { finishReason: row.finish_reason as FinishReason }),
    createdAt: row.created_at,
  };
}
