import type { LanguageModelUsage } from 'ai';
import type { TokenUsage } from '../../contract/chat.ts';

/**
 * The usage that the vendor reported: prompt tokens include cached ones, completion tokens include reasoning. The total is
 * the sum where both are known; with only one of them the total of the SDK would be that one again.
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

/** Accepts only plausible counts. */
const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
