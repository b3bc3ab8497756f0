const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a duration in words by its two largest units: `2 minutes 5 seconds`. */
export function formatLongDuration(ms: number): string {
  let seconds = Math.round(ms / 1000);
  if (seconds < 1) return 'less than a second';
  const parts: string[] = [];
  for (const [name, length] of units) {
    const count = Math.floor(seconds / length);
    seconds -= count * length;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}
