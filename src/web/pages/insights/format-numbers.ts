import { perReader } from '../../components/reader.ts';

const compact = perReader(
  ({ locale }) => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
);
const share = perReader(
  ({ locale }) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
);
const cents = perReader(
  ({ locale }) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
);

/** 8,120 as 8.1K. */
export const formatTokens = (tokens: number): string => compact().format(tokens);

/** 0.987 as 98.7%. */
export const formatShare = (value: number): string => share().format(value);

/** $0.0042, $12.30: small amounts keep two digits that mean something. */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${cents().format(usd)}`;
}
