/** 950, 12.3k, 1.2M. */
export function formatTokens(count: number): string {
  if (count < 1000) return String(count);
  const [unit, letter] = count < 999_950 ? [1000, 'k'] : [1_000_000, 'M'];
  return `${(count / unit).toFixed(1).replace(/\.0$/, '')}${letter}`;
}
