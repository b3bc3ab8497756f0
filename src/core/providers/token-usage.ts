import type { LanguageModelUsage } from 'ai';
import type { TokenUsage } from '../../contract/chat.ts';

/**
 * What the vendor counted: the prompt with what came from a cache, and the answer with the reasoning. The total is their
 * sum where both are known; where only one is, the SDK's total would be that one again.
 */
export function toTokenUsage(
  usage: Pick<LanguageModelUsage, 'inputTokens' | 'outputTokens' | 'totalTokens'> | undefined,
): TokenUsage {
  const promptTokens = countOf(usage?.inputTokens);
  const completionTokens = countOf(usage?.outputTokens);
  const isBoth = promptTokens !== undefined && completionTokens !== undefined;
  const isNeither = promptTokens === undefined && completionTokens === undefined;
  const total = isBoth ? promptTokens + completionTokens : usage?.totalTokens;
  const totalTokens = isBoth || isNeither ? countOf(total) : undefined;
  return {
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  };
}

/** A figure is believed only when it is one. */
const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
