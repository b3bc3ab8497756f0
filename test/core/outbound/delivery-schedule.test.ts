import { describe, expect, it } from 'vitest';
import { delayAfter, longestDelayAfter } from '../../../src/core/outbound/delivery-schedule.ts';

const promised = [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

describe('delayAfter', () => {
  it.each(promised.map((ms, index) => [index + 1, ms]))(
    'after %i failed attempts waits %i ms and at most a tenth more',
    (attempts, ms) => {
      expect(delayAfter(attempts, () => 0)).toBe(ms);
      expect(delayAfter(attempts, () => 0.999)).toBeLessThanOrEqual(ms * 1.1);
      expect(delayAfter(attempts, () => 0.999)).toBeGreaterThan(ms * 1.09);
      expect(longestDelayAfter(attempts)).toBe(Math.round(ms * 1.1));
    },
  );

  it('gives up after the sixth attempt', () => {
    expect(delayAfter(6, () => 0)).toBeUndefined();
    expect(delayAfter(6, () => 0, 60_000)).toBeUndefined();
  });

  it('makes the first attempt without a delay', () => {
    expect(longestDelayAfter(0)).toBe(0);
  });

  it.each([
    ['a moment', 1, 1000, 30_000],
    ['more than the schedule', 1, 120_000, 120_000],
    ['more than the step after it', 1, 3_600_000, 300_000],
    ['two days, at the end', 5, 172_800_000, 43_200_000],
  ])('respects a Retry-After of %s', (_, attempts, asked, expected) => {
    expect(delayAfter(attempts, () => 0, asked)).toBe(expected);
  });
});
