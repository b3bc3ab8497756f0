import { AppError } from '../../errors.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Guard } from './guard.ts';

const WINDOW_MS = 60_000;

/** Limits the tool calls of each user per minute. */
export function rateLimit(limits: RateLimits, perMinute: () => number): Guard {
  return {
    name: 'rate-limit',
    async check({ context }) {
      const max = perMinute();
      try {
        await limits.take('tool calls', context.userId, { max, windowMs: WINDOW_MS });
        return undefined;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
        const seconds = Math.ceil((error.retryAfterMs ?? WINDOW_MS) / 1000);
        return `More than ${max} tool calls in a minute. Try again in ${seconds} s`;
      }
    },
  };
}
