const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads 500ms, 30s, 5m, 1h30m or a bare number of seconds; answers milliseconds, or undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * (units[unit] ?? 0);
  return Math.round(total);
}
