/** `$12.30`, `$0.0012`, `$0.12 + unknown`, or `unknown` where the cost of no call is known. */
export function formatUsageCost({
  costUsd,
  unknownCalls,
}: {
  costUsd: number;
  unknownCalls: number;
}): string {
  if (costUsd === 0 && unknownCalls > 0) return 'unknown';
  return `${formatDollars(costUsd)}${unknownCalls > 0 ? ' + unknown' : ''}`;
}

/** An amount with as many digits as it needs. */
export const formatDollars = (usd: number): string =>
  `$${usd.toLocaleString('en-US', {
    minimumFractionDigits: usd > 0 && usd < 0.1 ? 4 : 2,
    maximumFractionDigits: usd > 0 && usd < 0.1 ? 4 : 2,
  })}`;
