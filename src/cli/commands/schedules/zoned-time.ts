/** The date and the time of a moment in a zone: `2026-11-23 03:00`. */
export function formatZoned(timestamp: string, timeZone: string): string {
  const { year = '', month, day, hour, minute } = partsOf(timestamp, timeZone);
  return `${year.padStart(4, '0')}-${month}-${day} ${hour}:${minute}`;
}

/**
 * Moments with the day of the week and how far the zone is ahead of UTC: `Mon 2026-11-23 03:00 +01:00`, all with seconds
 * where one has some.
 */
export function formatAllZoned(timestamps: readonly string[], timeZone: string): string[] {
  const parts = timestamps.map((timestamp) => partsOf(timestamp, timeZone));
  const hasSeconds = parts.some(({ second }) => second !== '00');
  return parts.map(({ weekday, second, timeZoneName = '' }, index) => {
    const time = formatZoned(timestamps[index] ?? '', timeZone);
    const offset = timeZoneName.replace('GMT', '') || '+00:00';
    return `${weekday} ${time}${hasSeconds ? `:${second}` : ''} ${offset}`;
  });
}

export const formatZonedFully = (timestamp: string, timeZone: string): string =>
  formatAllZoned([timestamp], timeZone).join('');

function partsOf(timestamp: string, timeZone: string): Partial<Record<string, string>> {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  return Object.fromEntries(
    format.formatToParts(new Date(timestamp)).map(({ type, value }) => [type, value]),
  );
}
