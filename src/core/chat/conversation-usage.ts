import { sql } from 'kysely';
import type { ConversationUsage } from '../../contract/conversations.ts';
import type { Database } from '../storage/database.ts';

interface Sums {
  answers: number;
  counted: number;
  priced: number;
  prompt: number | null;
  completion: number | null;
  total: number | null;
  cost: number | null;
}

/** What the answers of a conversation used; undefined as long as no vendor has counted any of them. */
export async function usageOfConversation(
  { read }: Pick<Database, 'read'>,
  conversationId: string,
): Promise<ConversationUsage | undefined> {
  const { rows } = await sql<Sums>`select count(*) as answers, count(total_tokens) as counted,
      count(cost_usd) as priced, sum(prompt_tokens) as prompt, sum(completion_tokens) as completion,
      sum(total_tokens) as total, sum(cost_usd) as cost
    from messages where conversation_id = ${conversationId} and role = 'assistant'
      and (total_tokens is not null or coalesce(status, 'completed') in ('completed', 'waiting'))`.execute(
    read,
  );
  const [sums] = rows;
  if (!sums || sums.counted === 0) return undefined;
  const last = await read
    .selectFrom('messages')
    .select(['context_tokens as promptTokens', 'context_window as window'])
    .where('conversation_id', '=', conversationId)
    .where('context_tokens', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    ...(sums.prompt !== null && { promptTokens: sums.prompt }),
    ...(sums.completion !== null && { completionTokens: sums.completion }),
    ...(sums.total !== null && { totalTokens: sums.total }),
    ...(sums.counted < sums.answers && { isPartial: true as const }),
    ...(sums.priced === sums.answers && sums.cost !== null && { costUsd: sums.cost }),
    ...(last && last.promptTokens !== null && { context: contextOf(last.promptTokens, last.window) }),
  };
}

const contextOf = (
  promptTokens: number,
  window: number | null,
): NonNullable<ConversationUsage['context']> => ({
  promptTokens,
  ...(window !== null && { window, share: Math.min(1, promptTokens / window) }),
});
