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

/** How many tokens of a prompt the vendor took from its cache, and how many it put there. */
export interface CachedTokens {
  read?: number;
  written?: number;
}

/** The cached tokens that the vendor reported. */
export function toCachedTokens(read: number | undefined, written: number | undefined): CachedTokens {
  const counts = { read: countOf(read), written: countOf(written) };
  return {
    ...(counts.read !== undefined && { read: counts.read }),
    ...(counts.written !== undefined && { written: counts.written }),
  };
}
