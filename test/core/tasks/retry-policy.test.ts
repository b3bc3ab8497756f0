import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FailureClass, failureClassSchema } from '../../../src/contract/task.ts';
import {
  isTransient,
  mayTryAgain,
  nextOutage,
  outageDelay,
  retryDelay,
} from '../../../src/core/tasks/retry-policy.ts';

const FIVE_MINUTES = 300_000;
const DAY = 86_400_000;

const backoff = fc.nat(FIVE_MINUTES);
const attempts = fc.integer({ min: 1, max: 1000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryDelay', () => {
  const ceilingOf = (made: number, base: number) =>
    Math.max(base, Math.min(base * 2 ** (made - 1), FIVE_MINUTES));

  it('a retry delay lies between the backoff and its double per attempt, at most five minutes', () => {
    fc.assert(
      fc.property(attempts, backoff, random, (made, base, chance) => {
        const delay = retryDelay(made, { backoff: base, type: 'exponential' }, () => chance);
        expect(delay).toBeGreaterThanOrEqual(base);
        expect(delay).toBeLessThanOrEqual(ceilingOf(made, base));
        expect(Number.isSafeInteger(delay)).toBe(true);
      }),
    );
  });

  it('a retry delay covers the whole range of the jitter', () => {
    fc.assert(
      fc.property(attempts, backoff, (made, base) => {
        const at = (chance: number) => retryDelay(made, { backoff: base, type: 'exponential' }, () => chance);
        expect(at(0)).toBe(base);
        expect(at(1 - Number.EPSILON)).toBe(ceilingOf(made, base));
      }),
    );
  });

  it('a retry delay grows with the attempts for the same jitter', () => {
    fc.assert(
      fc.property(attempts, backoff, random, (made, base, chance) => {
        const at = (n: number) => retryDelay(n, { backoff: base, type: 'exponential' }, () => chance);
        expect(at(made + 1)).toBeGreaterThanOrEqual(at(made));
      }),
    );
  });

  it('a fixed retry delay is always the backoff', () => {
    fc.assert(
      fc.property(attempts, backoff, random, (made, base, chance) => {
        expect(retryDelay(made, { backoff: base, type: 'fixed' }, () => chance)).toBe(base);
      }),
    );
  });

  it('a retry delay is never shorter than a server requests, up to a day', () => {
    fc.assert(
      fc.property(
        attempts,
        backoff,
        random,
        fc.nat(2 * DAY),
        fc.constantFrom('fixed', 'exponential'),
        (made, base, chance, asked, type) => {
          const own = retryDelay(made, { backoff: base, type }, () => chance);
          const delay = retryDelay(made, { backoff: base, type }, () => chance, asked);
          expect(delay).toBe(Math.max(own, Math.min(asked, DAY)));
        },
      ),
    );
  });

  it('the default retry delays match the interface', () => {
    const highest = (made: number) => retryDelay(made, { backoff: 1000, type: 'exponential' }, () => 1);
    expect([1, 2, 3, 4, 9, 10, 11].map(highest)).toEqual([1000, 2000, 4000, 8000, 256_000, 300_000, 300_000]);
  });
});

describe('isTransient', () => {
  it('isTransient covers every failure class', () => {
    const expected: Record<FailureClass, boolean> = {
      rate_limited: true,
      network: true,
      timeout: true,
      agent_crash: true,
      agent_error: true,
      unknown: true,
      quota: false,
      auth: false,
      invalid_input: false,
      policy_denied: false,
      budget: false,
      host_gone: false,
      cancelled: false,
      command_failed: false,
      verify_failed: false,
      invalid_output: false,
    };
    const found = Object.fromEntries(failureClassSchema.options.map((name) => [name, isTransient(name)]));
    expect(found).toEqual(expected);
  });
});

describe('mayTryAgain', () => {
  it('a command that failed is run again only if its creator wants that', () => {
    expect(mayTryAgain('command_failed', { retry_on_failure: 0 })).toBe(false);
    expect(mayTryAgain('command_failed', { retry_on_failure: 1 })).toBe(true);
    for (const retry_on_failure of [0, 1]) {
      expect(mayTryAgain('network', { retry_on_failure })).toBe(true);
      expect(mayTryAgain('auth', { retry_on_failure })).toBe(false);
    }
  });
});

describe('an outage', () => {
  const limitMs = 3_600_000;
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
  const since = at(0).toISOString();
  const before = { outages: 3, outage_since: since };

  it('begins with the first failure and counts those that follow', () => {
    const first = nextOutage(
      { outages: 0, outage_since: null },
      { now: at(0), durationMs: 900_000, limitMs },
    );
    expect(first).toEqual({ outages: 1, outage_since: since });
    expect(nextOutage(before, { now: at(5000), durationMs: 100, limitMs })).toEqual({
      outages: 4,
      outage_since: since,
    });
  });

  it('is another one after a run that worked for a minute', () => {
    expect(nextOutage(before, { now: at(500_000), durationMs: 60_000, limitMs })).toEqual({
      outages: 1,
      outage_since: at(500_000).toISOString(),
    });
  });

  it('is over for a task once it lasted as long as the setting allows', () => {
    expect(nextOutage(before, { now: at(limitMs - 1), durationMs: 1, limitMs })).toBeDefined();
    expect(nextOutage(before, { now: at(limitMs), durationMs: 1, limitMs })).toBeUndefined();
    expect(nextOutage(before, { now: at(0), durationMs: 1, limitMs: 0 })).toBeUndefined();
  });

  it('makes waits grow to 15 minutes, half of each left to chance, unless the service asks for more', () => {
    const waits = (chance: number) =>
      [1, 2, 3, 9, 10, 1000].map((outages) => outageDelay(outages, { backoff: 1000 }, () => chance));
    expect(waits(1)).toEqual([2000, 4000, 8000, 512_000, 900_000, 900_000]);
    expect(waits(0)).toEqual([1000, 2000, 4000, 256_000, 450_000, 450_000]);
    expect(outageDelay(1, { backoff: 1000 }, () => 1, 1_800_000)).toBe(1_800_000);
  });
});
