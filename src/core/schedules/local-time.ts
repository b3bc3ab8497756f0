import { AppError } from '../errors.ts';

const DAY_MS = 86_400_000;

/** Parses an ISO 8601 time; without an offset it is local to the zone, and the earlier one if it is ambiguous. */
export function momentOf(text: string, timezone: string): Date {
  const moment = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? new Date(text) : localMoment(text, timezone);
  // Later years have more digits and would sort incorrectly.
  if (!(moment.getTime() < Date.UTC(9999, 0))) throw invalidAt('Expected a time before the year 9999');
  return moment;
}

export const invalidAt = (message: string): AppError =>
  new AppError('validation', 'Validation failed', { details: [{ path: 'at', message }] });

function localMoment(text: string, timezone: string): Date {
  const wall = Date.parse(`${text}Z`);
  const offsetAt = offsetsOf(timezone);
  // Offsets change at most once within these two days.
  const before = offsetAt(wall - DAY_MS);
  const after = offsetAt(wall + DAY_MS);
  for (const offset of [before, after])
    if (offsetAt(wall - offset) === offset) return new Date(wall - offset);
  throw invalidAt(
    `There is no ${text} in ${timezone}: the clocks go forward over it. Write another time, or one with its offset.`,
  );
}

/** Milliseconds that a zone is ahead of UTC at a moment. */
function offsetsOf(timezone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const whole = Math.floor(ms / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  };
}
