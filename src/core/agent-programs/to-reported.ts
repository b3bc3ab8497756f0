import type { AgentUsage } from '../agents/drivers/driver.ts';
import type { ReportedUsage } from '../usage/run-usage.ts';

/** What an agent says that it has used, in all; a cost of 0 is one that it does not know. */
export const toReported = (
  { inputTokens = 0, outputTokens = 0, cachedInputTokens, costUsd }: AgentUsage,
  model: string | undefined,
): ReportedUsage => ({
  inputTokens,
  outputTokens,
  cachedTokens: cachedInputTokens,
  costUsd: costUsd === 0 ? undefined : costUsd,
  model,
});
