import type { ProviderName } from '../../contract/providers.ts';
import { costOfCall, type ModelPrice } from '../providers/model-prices.ts';
import type { MessageRow } from '../storage/rows/conversations.ts';

interface Prices {
  priceOf: (model: { provider: ProviderName; modelId: string }) => ModelPrice | undefined;
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
