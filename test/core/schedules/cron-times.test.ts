import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronTimes } from '../../../src/core/schedules/cron-times.ts';
import { nextTimes } from '../../../src/core/schedules/occurrence-times.ts';
import { naiveTimes, zoneOf } from './naive-cron.ts';
import { sized } from '../../helpers/long.ts';

const DAY = 86_400_000;

/** The times in a zone as its clocks show them. */
function timesIn(zone: string, expression: string, after: string, count: number): string[] {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return nextTimes(cronTimes(expression, zone), new Date(after), count).map((at) => {
    const offset = name.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    return `${format.format(at)} ${offset?.replace('GMT', '') || '+00:00'}`;
  });
}

function timesUntil(expression: string, zone: string, from: Date, until: Date): Date[] {
  const times = cronTimes(expression, zone);
  const found: Date[] = [];
  for (let at = times.next(from); at && at <= until; at = times.next(at)) found.push(at);
  return found;
}

describe('cron times when the clocks go forward', () => {
  it.each([
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29 03:00 +02:00', '2026-03-30 02:30 +02:00'],
    ],
    [
      'Europe/Berlin',
      '0 2,3 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29 03:00 +02:00', '2026-03-30 02:00 +02:00'],
    ],
    [
      'Europe/Berlin',
      '30 2,14 * * *',
      '2026-03-28T20:00Z',
      ['2026-03-29 03:00 +02:00', '2026-03-29 14:30 +02:00'],
    ],
    [
      'Europe/Berlin',
      '*/30 * * * *',
      '2026-03-29T00:15Z',
      ['2026-03-29 01:30 +01:00', '2026-03-29 03:00 +02:00'],
    ],
    [
      'Europe/Berlin',
      '*/10 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-30 02:00 +02:00', '2026-03-30 02:10 +02:00'],
    ],
    [
      'America/New_York',
      '15 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08 03:00 -04:00', '2026-03-09 02:15 -04:00'],
    ],
    // Only half an hour, over 02:00 to 02:30.
    [
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-04 02:30 +11:00', '2026-10-05 02:15 +11:00'],
    ],
    [
      'Australia/Lord_Howe',
      '45 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-04 02:45 +11:00', '2026-10-05 02:45 +11:00'],
    ],
    // At midnight, so that the day begins at one.
    [
      'America/Santiago',
      '0 0 * * *',
      '2026-09-05T12:00Z',
      ['2026-09-06 01:00 -03:00', '2026-09-07 00:00 -03:00'],
    ],
    // There was no 30 December 2011.
    [
      'Pacific/Apia',
      '0 12 * * *',
      '2011-12-29T00:00Z',
      ['2011-12-29 12:00 -10:00', '2011-12-31 12:00 +14:00'],
    ],
    [
      'Pacific/Apia',
      '0 12 30 12 *',
      '2011-01-01T00:00Z',
      ['2012-12-30 12:00 +14:00', '2013-12-30 12:00 +14:00'],
    ],
    [
      'Pacific/Apia',
      '0 * * * *',
      '2011-12-30T08:30Z',
      ['2011-12-29 23:00 -10:00', '2011-12-31 00:00 +14:00'],
    ],
  ])('skips missing times in %s: %s', (zone, expression, after, expected) => {
    expect(timesIn(zone, expression, after, 2)).toEqual(expected);
  });
});

describe('cron times when the clocks go back', () => {
  it.each([
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25 02:30 +02:00', '2026-10-26 02:30 +01:00'],
    ],
    [
      'Europe/Berlin',
      '0,30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25 02:00 +02:00', '2026-10-25 02:30 +02:00'],
    ],
    [
      'Europe/Berlin',
      '30 * * * *',
      '2026-10-25T00:15Z',
      ['2026-10-25 02:30 +02:00', '2026-10-25 02:30 +01:00'],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01 01:30 -04:00', '2026-11-02 01:30 -05:00'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T00:00Z',
      ['2026-04-05 01:45 +11:00', '2026-04-06 01:45 +10:30'],
    ],
    [
      'Australia/Lord_Howe',
      '*/15 1 * * *',
      '2026-04-04T14:40Z',
      ['2026-04-05 01:45 +11:00', '2026-04-05 01:30 +10:30'],
    ],
  ])('handles repeated times in %s: %s', (zone, expression, after, expected) => {
    expect(timesIn(zone, expression, after, 2)).toEqual(expected);
  });
});

describe('the calendar', () => {
  it.each([
    ['0 0 29 2 *', '2026-01-01T00:00Z', ['2028-02-29', '2032-02-29']],
    // 2100 is no leap year.
    ['0 0 29 2 *', '2096-01-01T00:00Z', ['2096-02-29', '2104-02-29']],
    ['0 0 L 2 *', '2027-01-01T00:00Z', ['2027-02-28', '2028-02-29']],
    ['0 0 31 * *', '2026-01-31T12:00Z', ['2026-03-31', '2026-05-31']],
    ['0 0 * * FRI#L', '2026-11-22T00:00Z', ['2026-11-27', '2026-12-25']],
    ['0 0 * * MON#2', '2026-11-22T00:00Z', ['2026-12-14', '2027-01-11']],
    ['0 0 15W * *', '2026-11-01T00:00Z', ['2026-11-16', '2026-12-15']],
    ['0 0 13 * +FRI', '2026-11-22T00:00Z', ['2027-08-13', '2028-10-13']],
    ['0 0 13 * FRI', '2026-11-12T00:00Z', ['2026-11-13', '2026-11-20']],
    ['@weekly', '2026-11-22T12:00Z', ['2026-11-29', '2026-12-06']],
    ['@Daily', '2026-11-22T12:00Z', ['2026-11-23', '2026-11-24']],
  ])('finds the days of %s', (expression, after, expected) => {
    expect(timesIn('UTC', expression, after, 2).map((time) => time.slice(0, 10))).toEqual(expected);
  });

  it('supports seconds', () => {
    const found = nextTimes(cronTimes('*/20 * * * * *', 'UTC'), new Date('2026-01-01T00:00:10.500Z'), 3);
    expect(found.map((at) => at.toISOString().slice(17))).toEqual(['20.000Z', '40.000Z', '00.000Z']);
  });
});

describe('cron times over ten years', () => {
  const from = new Date('2024-01-01T00:00:00Z');
  const until = new Date('2034-01-01T00:00:00Z');

  it.each(
    ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca'].flatMap(
      (zone) =>
        ['30 2 * * *', '0,30 1-3 * * 0', '0 0 1 1,7 *'].map((expression) => [zone, expression] as const),
    ),
  )(
    'the times in %s equal a count by hand: %s',
    (zone, expression) => {
      const expected = naiveTimes(expression, zone, from, until);
      expect(expected.length).toBeGreaterThan(10);
      expect(timesUntil(expression, zone, from, until)).toEqual(expected);
    },
    30_000,
  );

  it.each([
    '0 3 * * *',
    '30 9 * * 1-5',
    '0 0 L * *',
    '0 12 * * 5#2',
    '0 0 29 2 *',
    '15 */6 1,15 * *',
    '0 0 13 * 5',
  ])(
    'the times in UTC equal those of another library: %s',
    (expression) => {
      const other = CronExpressionParser.parse(expression, { currentDate: from, tz: 'UTC' });
      const found = timesUntil(expression, 'UTC', from, until);
      expect(found.length).toBeGreaterThan(1);
      expect(found.map((at) => at.toISOString())).toEqual(
        found.map(() => other.next().toDate().toISOString()),
      );
    },
    30_000,
  );
});

it('finds the times of any expression around any change of the clocks', () => {
  const value = (min: number, max: number) => fc.integer({ min, max }).map(String);
  const list = (min: number, max: number) =>
    fc.uniqueArray(value(min, max), { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
  const range = (min: number, max: number) =>
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const field = (min: number, max: number, steps: number[]) =>
    fc.oneof(
      fc.constant('*'),
      list(min, max),
      range(min, max),
      fc.constantFrom(...steps).map((step) => `*/${step}`),
    );
  const expressions = fc
    .tuple(
      fc.oneof(list(0, 59), fc.constantFrom('*/10', '*/15', '*/30')),
      field(0, 23, [2, 3, 6]),
      fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, list(1, 31)),
      fc.constant('*'),
      fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, list(0, 7)),
    )
    .map((fields) => fields.join(' '));
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Casablanca',
  ];
  const years = { from: new Date('2026-01-01T00:00:00Z'), until: new Date('2027-01-01T00:00:00Z') };
  const changes = new Map(zones.map((zone) => [zone, zoneOf(zone, years.from, years.until).changes]));
  fc.assert(
    fc.property(expressions, fc.constantFrom(...zones), fc.nat(9), (expression, zone, index) => {
      const known = changes.get(zone) ?? [];
      const at = known[index % known.length]?.at ?? 0;
      const [from, until] = [new Date(at - 2 * DAY), new Date(at + 2 * DAY)];
      expect(timesUntil(expression, zone, from, until)).toEqual(naiveTimes(expression, zone, from, until));
    }),
    { numRuns: sized(15, 150) },
  );
}, 180_000);

it('loads the cron parser only with the first expression', () => {
  const script = fileURLToPath(new URL('../../helpers/loaded-packages.ts', import.meta.url));
  const core = new URL('../../../src/core/', import.meta.url).href;
  const loads = (file: string) =>
    spawnSync(process.execPath, [script, core + file], { encoding: 'utf8' }).stdout.split('\n');
  expect(loads('app.ts')).toContain('./schedules/compose-schedules.ts');
  expect(loads('app.ts')).not.toContain('croner');
  expect(loads('schedules/cron-times.ts')).toContain('croner');
});

describe('an invalid cron expression', () => {
  const complaint = (expression: string) => {
    try {
      cronTimes(expression, 'UTC');
      return 'nothing';
    } catch (error) {
      return (error as { details?: { path: string; message: string }[] }).details?.[0];
    }
  };
  it.each([
    ['60 * * * *', '"60" is no minute. It takes 0–59'],
    ['* 24 * * *', '"24" is no hour. It takes 0–23'],
    ['* * 32 * *', '"32" is no day of the month. It takes 1–31'],
    ['* * * 13 *', '"13" is no month. It takes 1–12 or JAN–DEC'],
    ['* * * * 8', '"8" is no day of the week. It takes 0–7'],
    ['60 * * * * *', '"60" is no second. It takes 0–59'],
    ['*/0 * * * *', '"*/0" is no minute.'],
    ['5/5 * * * *', '"5/5" is no minute.'],
    ['H * * * *', '"H" is no minute.'],
    ['30-10 * * * *', '"30-10" is no minute.'],
    ['* * * * FRY', '"FRY" is no day of the week.'],
    ['0 3 * *', '"0 3 * *" has 4 fields. Expected five (minute, hour,'],
    ['0', '"0" has 1 field.'],
    ['0 3 * * * * 2026', '"0 3 * * * * 2026" has 7 fields.'],
    ['2026-12-24T18:00:00', '"2026-12-24T18:00:00" has 1 field.'],
    ['@reboot', '"@reboot" is not known. There are @hourly'],
    ['@fortnightly', '"@fortnightly" is not known.'],
  ])('rejects %s with the error %s', (expression, message) => {
    expect(complaint(expression)).toEqual({ path: 'cron', message: expect.stringContaining(message) });
  });
});
