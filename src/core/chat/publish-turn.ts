import type { TokenUsage } from '../../contract/chat.ts';
import type { MessageError } from '../../contract/conversations.ts';
import type { ProviderName } from '../../contract/providers.ts';
import type { RunEventInput } from '../../contract/run-events.ts';
import type { Runtime } from '../runtime.ts';
import type { MessageRow } from '../storage/rows/conversations.ts';
import type { ConversationFeeds } from './conversation-feeds.ts';

/** Publishes a turn without tools to the clients that follow its conversation, from its message on. */
export function publishTurn(
  { feeds, runtime }: { feeds: ConversationFeeds; runtime: Runtime },
  message: MessageRow,
  { isCompacted }: { isCompacted: boolean },
) {
  const runId = runtime.newId('run');
  const emit = (event: RunEventInput) => feeds.emit(runId, { ...event, timestamp: runtime.now().getTime() });
  feeds.begin(message.conversation_id, runId);
  const { id, content, seq: messageCount } = message;
  emit({ type: 'user_message', data: { id, content, compactionApplied: isCompacted, messageCount } });
  return {
    complete: (answer: MessageRow, model: { provider: ProviderName; modelId: string }, usage: TokenUsage) => {
      const { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens } = usage;
      emit({ type: 'text:delta', data: { step: 1, delta: answer.content } });
      emit({
        type: 'complete',
        data: {
          ...(totalTokens !== undefined && { totalTokens }),
          ...(inputTokens !== undefined && { inputTokens }),
          ...(outputTokens !== undefined && { outputTokens }),
          model: model.modelId,
          provider: model.provider,
          toolCalls: 0,
        },
      });
      emit({ type: 'message_saved', data: { id: answer.id } });
      feeds.end(runId);
    },
    fail: (error: MessageError) => {
      emit({ type: 'error', data: error });
      feeds.end(runId);
    },
  };
}
