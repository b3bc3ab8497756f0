import type { ConversationUsage } from '../../contract/conversations.ts';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';
import { summaryTokens } from './compactor.ts';

/** What the answers of a conversation used; undefined as long as no vendor has counted any of them. */
export function usageOfConversation(
  conversation: Pick<ConversationRow, 'preset_id' | 'summary' | 'summary_seq'>,
  messages: readonly MessageRow[],
): ConversationUsage | undefined {
  const answers = messages.filter(
    ({ role, total_tokens, status }) =>
      role === 'assistant' &&
      (total_tokens !== null || ['completed', 'waiting'].includes(status ?? 'completed')),
  );
  const counted = answers.filter(({ total_tokens }) => total_tokens !== null);
  if (counted.length === 0) return undefined;
  const promptTokens = sumOf(answers, 'prompt_tokens');
  const completionTokens = sumOf(answers, 'completion_tokens');
  const totalTokens = sumOf(answers, 'total_tokens');
  const costUsd = sumOf(answers, 'cost_usd');
  // An answer whose first request failed cost nothing that anybody counts.
  const isCostPartial = answers.some((answer) => answer.cost_usd === null && answer.total_tokens !== 0);
  const last = messages.findLast(({ context_tokens }) => context_tokens !== null);
  return {
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
    ...(counted.length < answers.length && { isPartial: true as const }),
    ...(costUsd !== undefined && { costUsd, ...(isCostPartial && { isCostPartial: true as const }) }),
    ...(last && { context: contextOf(conversation, last) }),
  };
}

/** The sum of what is known; undefined where nothing is. */
function sumOf(
  answers: readonly MessageRow[],
  column: 'prompt_tokens' | 'completion_tokens' | 'total_tokens' | 'cost_usd',
): number | undefined {
  const known = answers.flatMap((answer) => answer[column] ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function contextOf(
  { preset_id, summary, summary_seq }: Pick<ConversationRow, 'preset_id' | 'summary' | 'summary_seq'>,
  { seq, context_tokens, context_window: window }: MessageRow,
): NonNullable<ConversationUsage['context']> {
  // The next request has the summary instead.
  const isCompacted = summary !== null && summary_seq >= seq;
  const promptTokens = isCompacted ? summaryTokens(preset_id, summary) : (context_tokens ?? 0);
  return {
    promptTokens,
    ...(window !== null && { window, share: Math.min(1, promptTokens / window) }),
  };
}
