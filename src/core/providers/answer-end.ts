import type { FinishReason, TokenUsage } from '../../contract/chat.ts';
import { costOf } from './call-cost.ts';
import { finishReasonOf } from './finish-reason.ts';
import type { VendorModel } from './resolved-model.ts';
import { type CachedTokens, toCachedTokens, toTokenUsage } from './token-usage.ts';

/** How an answer ended, and what it used. */
export interface AnswerEnd {
  finishReason: FinishReason;
  usage: TokenUsage;
  cached: CachedTokens;
  /** Of the completion tokens, where the vendor says. */
  reasoningTokens: number | undefined;
  /** Where the provider says what the call cost. */
  costUsd: number | undefined;
}

/** The end of an answer, as the packages say it. */
export type VendorEnd = Pick<
  Awaited<ReturnType<VendorModel['doGenerate']>>,
  'finishReason' | 'usage' | 'providerMetadata'
>;

export const toAnswerEnd = ({ finishReason, usage, providerMetadata }: VendorEnd): AnswerEnd => {
  const { inputTokens, outputTokens } = usage;
  return {
    usage: toTokenUsage({
      inputTokens: inputTokens.total,
      outputTokens: outputTokens.total,
      totalTokens: undefined,
    }),
    finishReason: finishReasonOf(finishReason.unified),
    cached: toCachedTokens(inputTokens.cacheRead, inputTokens.cacheWrite),
    reasoningTokens: outputTokens.reasoning,
    costUsd: costOf(providerMetadata),
  };
};
