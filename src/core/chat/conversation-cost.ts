import type { ProviderName } from '../../contract/providers.ts';
import type { ModelAnswer } from '../providers/model-calls.ts';
import { costOfCall, type ModelPrice } from '../providers/model-prices.ts';
import type { MessageRow } from '../storage/rows/conversations.ts';

interface Prices {
  priceOf: (model: { provider: ProviderName; modelId: string }) => ModelPrice | undefined;
}

/** What an answer cost: as the provider says, else by its price; undefined where that is unknown. */
export function costOfAnswer(
  { costUsd, usage, cached }: Pick<ModelAnswer, 'costUsd' | 'usage' | 'cached'>,
  price: ModelPrice | undefined,
): number | undefined {
  const { promptTokens: prompt, completionTokens: answer } = usage;
  if (costUsd !== undefined || !price || prompt === undefined || answer === undefined) return costUsd;
  return costOfCall(price, { prompt, answer, cached });
}

/** The message with its cost; one that was stored without it has that of its model today, where that is certain. */
export function withCost(message: MessageRow, prices: Prices): MessageRow {
  const { provider, model, prompt_tokens: prompt, completion_tokens: answer } = message;
  if (message.cost_usd !== null || provider === null || model === null) return message;
  if (prompt === null || answer === null || prompt + answer === 0) return message;
  const price = prices.priceOf({ provider, modelId: model });
  // The tokens of several requests together say nothing of how long each was.
  if (!price || (price.long && prompt > price.long.above)) return message;
  return { ...message, cost_usd: costOfCall(price, { prompt, answer }) };
}
