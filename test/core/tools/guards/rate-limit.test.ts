import { describe, expect, it } from 'vitest';
import { RateLimits } from '../../../../src/core/limits/rate-limits.ts';
import { rateLimit } from '../../../../src/core/tools/guards/rate-limit.ts';
import { contextIn, guardedCall } from '../guarded-calls.ts';

const callOf = (userId: string) => guardedCall('/work', {}, { context: contextIn('/work', { userId }) });

describe('rate-limit', () => {
  it('limits the calls of each user, and names the time to wait', async () => {
    const guard = rateLimit(new RateLimits(() => performance.now()), () => 3);
    const call = await callOf('a');
    for (let at = 0; at < 3; at++) expect(await guard.check(call)).toBeUndefined();
    expect(await guard.check(call)).toMatch(/^More than 3 tool calls in a minute\. Try again in \d+ s$/);
    expect(await guard.check(await callOf('b'))).toBeUndefined();
  });

  it('counts concurrent calls exactly', async () => {
    const guard = rateLimit(new RateLimits(() => performance.now()), () => 5);
    const call = await callOf('a');
    const reasons = await Promise.all(Array.from({ length: 50 }, async () => guard.check(call)));
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(5);
  });

  it('applies a changed limit immediately', async () => {
    let perMinute = 1;
    const guard = rateLimit(new RateLimits(() => performance.now()), () => perMinute);
    const call = await callOf('a');
    expect(await guard.check(call)).toBeUndefined();
    expect(await guard.check(call)).toContain('More than 1');
    perMinute = 2;
    expect(await guard.check(call)).toBeUndefined();
  });
});
