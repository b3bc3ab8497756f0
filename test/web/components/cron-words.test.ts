import { describe, expect, it } from 'vitest';
import { cronWords } from '../../../src/web/components/cron-words.ts';

describe('cronWords', () => {
  it.each([
    ['@daily', 'Every day at 00:00'],
    ['@HOURLY', 'Every hour'],
    ['@weekly', 'Every Sunday at 00:00'],
    ['@yearly', 'Day 1 of January at 00:00'],
    ['30 2 * * 1-5', 'Monday to Friday at 02:30'],
    ['0 9 * * MON-FRI', 'Monday to Friday at 09:00'],
    ['0 9,17 * * *', 'Every day at 09:00 and 17:00'],
    ['15 7 * * 6,7', 'Every Saturday and Sunday at 07:15'],
    ['0 0 1 * *', 'Day 1 of every month at 00:00'],
    ['0 0 L * *', 'The last day of every month at 00:00'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['*/7 * * * *', 'Every 7 minutes from each full hour'],
    ['*/1 * * * *', 'Every minute'],
    ['* * * * *', 'Every minute'],
    ['10 * * * *', 'Every hour at minute 10'],
    ['0 */6 * * *', 'Every 6 hours'],
    ['0 */5 * * *', 'Every 5 hours from each midnight'],
    ['*/10 9-17 * * 1-5', 'Monday to Friday: every 10 minutes from 09:00 to 17:59'],
    ['0 30 2 * * *', 'Every day at 02:30'],
  ])('says %s in words: %s', (expression, words) => expect(cronWords(expression)).toBe(words));

  it.each([
    '',
    '60 9 * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 32 * *',
    '0 0 1 13 *',
    '0 0 1 0 *',
    '0 0 * * 8',
    '0 0 13 * FRI',
    '0 0 * * FRI#2',
    '0 0 15W * *',
    '*/0 * * * *',
    '*/10 */2 * * *',
    '5 30 2 * * *',
    '@reboot',
    'every day',
  ])('says nothing of %j, which words would not make clearer or which is none', (expression) =>
    expect(cronWords(expression)).toBeUndefined(),
  );
});
