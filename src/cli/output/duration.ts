/** Formats milliseconds for people: 40 ms, 0.4 s, 12 s, 3 min 5 s, 2 h 10 min, 4 d. */
export function formatDuration(ms: number): string {
  if (ms < 95) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 10 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours < 10 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}

/** How long ago a time was, in its largest unit. */
export function formatAge(timestamp: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(timestamp)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** The time until something expires: `9 min`, `6 d`, `expired`; without an end, `never`. */
export function formatLeft(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return 'never';
  const left = Date.parse(timestamp) - now;
  if (left <= 0) return 'expired';
  // Rounded up, so that 30 days do not read as 29 a moment later.
  const unit = left > 47.5 * 3_600_000 ? 86_400_000 : left > 59_500 ? 60_000 : 1000;
  return formatDuration(Math.max(unit, Math.round(left / unit) * unit)).replace(/ \d+ s$/, '');
}
