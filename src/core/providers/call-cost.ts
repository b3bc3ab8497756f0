import type { ProviderMetadata } from 'ai';
import type { TokenUsage } from '../../contract/chat.ts';
import { costOfCall, type ModelPrice } from './model-prices.ts';
import type { CachedTokens } from './token-usage.ts';

/** The cost of a call in US dollars; undefined unless the provider reports it, as OpenRouter does. */
export function costOf(metadata: ProviderMetadata | undefined): number | undefined {
  const usage = metadata?.['openrouter']?.['usage'];
  const cost = typeof usage === 'object' && usage !== null && 'cost' in usage ? usage['cost'] : undefined;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

/** What an answer cost: as the provider says, else by its price; undefined where that is unknown. */
export function costOfAnswer(
  {
    costUsd,
    usage,
    cached,
  }: { costUsd?: number | undefined; usage: TokenUsage; cached?: CachedTokens | undefined },
  price: ModelPrice | undefined,
): number | undefined {
  const { promptTokens: prompt, completionTokens: answer } = usage;
  if (costUsd !== undefined || !price || prompt === undefined || answer === undefined) return costUsd;
  return costOfCall(price, { prompt, answer, cached });
}
