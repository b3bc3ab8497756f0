/**
 * The times of a cron expression found the slow way, with nothing of the product and of its library: every minute, or
 * every day with its fixed times, is held against the fields. Five fields of numbers only.
 */
const MINUTE = 60_000;
const DAY = 86_400_000;
const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

export function naiveTimes(expression: string, timeZone: string, from: Date, until: Date): Date[] {
  const texts = expression.split(' ');
  const [minutes, hours, days, months, weekdays] = texts.map((text, at) => valuesOf(text, at)) as Sets;
  const fitsDay = (wall: Date) => {
    if (!months.has(wall.getUTCMonth() + 1)) return false;
    const isDay = days.has(wall.getUTCDate());
    const isWeekday = weekdays.has(wall.getUTCDay()) || (wall.getUTCDay() === 0 && weekdays.has(7));
    return texts[2] === '*' || texts[4] === '*' ? isDay && isWeekday : isDay || isWeekday;
  };
  const zone = zoneOf(timeZone, from, until);
  const isFixed = ![texts[0], texts[1]].some((text) => text?.includes('*') || text?.includes('/'));
  const found = new Set<number>();
  if (!isFixed) {
    for (let at = Math.ceil(from.getTime() / MINUTE) * MINUTE; at <= until.getTime(); at += MINUTE) {
      const wall = new Date(at + zone.offsetAt(at));
      if (minutes.has(wall.getUTCMinutes()) && hours.has(wall.getUTCHours()) && fitsDay(wall)) found.add(at);
    }
  } else {
    const first = Math.floor(from.getTime() / DAY) * DAY - DAY;
    for (let day = first; day <= until.getTime() + DAY; day += DAY) {
      if (!fitsDay(new Date(day))) continue;
      for (const hour of hours)
        for (const minute of minutes) {
          const at = zone.firstAt(day + hour * 60 * MINUTE + minute * MINUTE);
          if (at !== undefined) found.add(at);
        }
    }
  }
  return [...found]
    .filter((at) => at > from.getTime() && at <= until.getTime())
    .sort((a, b) => a - b)
    .map((at) => new Date(at));
}

type Sets = [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];

function valuesOf(text: string, at: number): Set<number> {
  const [low, high] = ranges[at] ?? [0, 0];
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [span = '', step = '1'] = part.split('/');
    const [first, last = first] = span === '*' ? [low, high] : span.split('-').map(Number);
    for (let value = first ?? 0; value <= (last ?? 0); value += Number(step)) values.add(value);
  }
  return values;
}

/** The offsets of a zone, by the moments at which they change. */
export function zoneOf(timeZone: string, from: Date, until: Date) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const ask = (at: number) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / MINUTE) * MINUTE;
  };
  const start = from.getTime() - 3 * DAY;
  const changes: { at: number; before: number; after: number }[] = [];
  for (let day = start; day <= until.getTime() + 3 * DAY; day += DAY) {
    const [before, after] = [ask(day), ask(day + DAY)];
    if (before === after) continue;
    let [low, high] = [day, day + DAY];
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (ask(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: Math.floor(high / MINUTE) * MINUTE, before, after });
  }
  const initial = ask(start);
  const offsetAt = (at: number) => changes.findLast((change) => change.at <= at)?.after ?? initial;
  return {
    changes,
    offsetAt,
    /** The first moment that shows a wall-clock time; where none does, the end of the gap, if that is the same day. */
    firstAt(wall: number): number | undefined {
      const offsets = new Set([initial, ...changes.flatMap(({ before, after }) => [before, after])]);
      const shown = [...offsets].map((offset) => wall - offset).filter((at) => at + offsetAt(at) === wall);
      if (shown.length > 0) return Math.min(...shown);
      const gap = changes.find(({ at, before, after }) => at + before <= wall && wall < at + after);
      if (!gap) return undefined;
      const isSameDay = Math.floor((gap.at + gap.after) / DAY) === Math.floor(wall / DAY);
      return isSameDay ? gap.at : undefined;
    },
  };
}
