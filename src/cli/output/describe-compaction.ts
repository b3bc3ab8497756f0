import { formatTokens } from './format-tokens.ts';

/** What a compaction saved, in one line. */
export const describeCompaction = ({
  tokensBefore,
  tokensAfter,
}: {
  tokensBefore: number;
  tokensAfter: number;
}): string => `Compacted: ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens.`;
