import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/core/schedules/local-time.ts';

describe('a local time', () => {
  it.each([
    ['2026-12-24T18:00:00+01:00', 'UTC', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24T18:00:00Z', 'Europe/Berlin', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00', 'Europe/Berlin', '2026-12-24T17:00:00.000Z'],
    ['2026-07-24T18:00:30.250', 'Europe/Berlin', '2026-07-24T16:00:30.250Z'],
    ['2026-07-24T18:00', 'Asia/Kolkata', '2026-07-24T12:30:00.000Z'],
    ['2026-07-24T18:00', 'Pacific/Kiritimati', '2026-07-24T04:00:00.000Z'],
    ['2026-07-24T18:00', 'Pacific/Pago_Pago', '2026-07-25T05:00:00.000Z'],
    // Twice on that day: the first one.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:30:00+01:00', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    // At the edges of what there is.
    ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2011-12-31T00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('the local time %s in %s is %s', (text, zone, moment) => {
    expect(momentOf(text, zone).toISOString()).toBe(moment);
  });

  it.each([
    ['2026-03-29T02:30', 'Europe/Berlin'],
    ['2026-03-29T02:00', 'Europe/Berlin'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe'],
    ['2011-12-30T12:00', 'Pacific/Apia'],
    ['2026-09-06T00:30', 'America/Santiago'],
  ])('the local time %s in %s does not exist', (text, zone) => {
    expect(() => momentOf(text, zone)).toThrow(
      expect.objectContaining({
        code: 'validation',
        details: [{ path: 'at', message: expect.stringContaining(`There is no ${text} in ${zone}`) }],
      }),
    );
  });

  it('rejects a time after the year 9999', () => {
    expect(() => momentOf('9999-12-31T23:59:59-11:00', 'UTC')).toThrow(
      expect.objectContaining({ code: 'validation' }),
    );
  });
});
