import type { UsageEntry, UsageGroup } from '../../contract/usage.ts';

/** What a spreadsheet would take for a formula, or for the start of one after what it skips. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠]/u;

/** The entries as CSV (RFC 4180), with a line of titles. A text that a spreadsheet would run as a formula gets an apostrophe. */
export function toUsageCsv(by: UsageGroup, entries: readonly UsageEntry[]): string {
  const titles = [
    by,
    'name',
    'input_tokens',
    'output_tokens',
    'cached_tokens',
    'calls',
    'cost_usd',
    'calls_of_unknown_cost',
  ];
  const lines = entries.map(({ key, name = '', ...sum }) =>
    [
      textCell(key),
      textCell(name),
      sum.inputTokens,
      sum.outputTokens,
      sum.cachedTokens,
      sum.calls,
      // Without an exponent, which some programs read as text.
      sum.costUsd.toFixed(6),
      sum.unknownCalls,
    ].join(','),
  );
  return [titles.join(','), ...lines, ''].join('\r\n');
}

function textCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
