const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const shortDays = dayNames.map((name) => name.slice(0, 3).toUpperCase());
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const macros: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** A cron expression in words, such as "Monday to Friday at 09:00"; undefined for the rarer ones, which words would not make clearer. */
export function cronWords(expression: string): string | undefined {
  const text = expression.trim();
  const parts = (macros[text.toLowerCase()] ?? text).split(/\s+/);
  if (parts.length === 6 && parts[0] === '0') parts.shift();
  if (parts.length !== 5) return undefined;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  const days = daysOf(day, month, weekday);
  if (days === undefined) return undefined;
  const times = timesOf(minute, hour);
  if (times !== undefined) return `${days} at ${times}`;
  const pace = paceOf(minute, hour);
  if (pace === undefined) return undefined;
  return days === 'Every day' ? pace : `${days}: ${pace.toLowerCase()}`;
}

const isNumber = (text: string, max: number) => /^\d{1,2}$/.test(text) && Number(text) <= max;
const pad = (text: string) => text.padStart(2, '0');

/** Moments of the clock. */
function timesOf(minute: string, hour: string): string | undefined {
  const hours = hour.split(',');
  if (!isNumber(minute, 59) || !hours.every((each) => isNumber(each, 23))) return undefined;
  return joined(hours.map((each) => `${pad(each)}:${pad(minute)}`));
}

/** Again and again, through the day or a part of it. */
function paceOf(minute: string, hour: string): string | undefined {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(hour) ?? [];
  const isPart = from !== undefined && to !== undefined && isNumber(from, 23) && isNumber(to, 23);
  const [, hourStep] = /^\*\/([1-9]|1\d|2[0-3])$/.exec(hour) ?? [];
  if (hour !== '*' && !isPart && hourStep === undefined) return undefined;
  const part = isPart ? ` from ${pad(from)}:00 to ${pad(to)}:59` : '';
  const [, step] = /^\*\/([1-9]|[1-5]\d)$/.exec(minute) ?? [];
  if (isNumber(minute, 59)) {
    const at = minute === '0' || minute === '00' ? '' : ` at minute ${Number(minute)}`;
    return `${hourStep === undefined ? 'Every hour' : every(hourStep, 'hour', 24)}${at}${part}`;
  }
  if (hourStep !== undefined) return undefined;
  if (minute === '*') return `Every minute${part}`;
  return step === undefined ? undefined : `${every(step, 'minute', 60)}${part}`;
}

/** A step that does not divide the whole begins again with it. */
const every = (step: string, unit: string, whole: number): string =>
  step === '1'
    ? `Every ${unit}`
    : `Every ${Number(step)} ${unit}s${whole % Number(step) === 0 ? '' : ` from each ${unit === 'hour' ? 'midnight' : 'full hour'}`}`;

function daysOf(day: string, month: string, weekday: string): string | undefined {
  if (month !== '*' && !isNumber(month, 12)) return undefined;
  const monthName = month === '*' ? undefined : monthNames[Number(month) - 1];
  if (month !== '*' && monthName === undefined) return undefined;
  if (day === '*' && weekday === '*')
    return monthName === undefined ? 'Every day' : `Every day of ${monthName}`;
  if (day !== '*' && weekday !== '*') return undefined;
  if (day !== '*') {
    if (day !== 'L' && (!isNumber(day, 31) || Number(day) === 0)) return undefined;
    const which = day === 'L' ? 'The last day' : `Day ${Number(day)}`;
    return `${which} of ${monthName ?? 'every month'}`;
  }
  if (monthName !== undefined) return undefined;
  return weekdaysOf(weekday);
}

function weekdaysOf(text: string): string | undefined {
  const [from, to, ...more] = text.split('-');
  if (to !== undefined) {
    const [first, last] = [dayOf(from ?? ''), dayOf(to)];
    return more.length > 0 || first === undefined || last === undefined ? undefined : `${first} to ${last}`;
  }
  const days = text.split(',').map(dayOf);
  return days.includes(undefined) ? undefined : `Every ${joined(days as string[])}`;
}

const dayOf = (text: string): string | undefined =>
  isNumber(text, 7) ? dayNames[Number(text) % 7] : dayNames[shortDays.indexOf(text.toUpperCase())];

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
