import type { FastifyReply } from 'fastify';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateLimit } from '../contract/route.ts';
import { AppError } from '../core/errors.ts';

/** The limits of the contract, each counted per route and per address of the peer. */
export class RateLimits {
  readonly #limiters = new Map<string, RateLimiterMemory>();

  /** Counts a request; one too many is refused, with the seconds to wait in Retry-After. */
  async take(route: string, limit: RateLimit, address: string, reply: FastifyReply): Promise<void> {
    // Loaded at the first limited request: most daemons of a single person never see one.
    const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
    let limiter = this.#limiters.get(route);
    if (!limiter) {
      limiter = new RateLimiterMemory({ points: limit.max, duration: limit.windowMs / 1000 });
      this.#limiters.set(route, limiter);
    }
    try {
      await limiter.consume(normalize(address));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      reply.header('retry-after', Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
      throw new AppError('rate_limited', limit.message ?? 'Too many requests. Try again later.');
    }
  }
}

/** One caller is one key: an IPv4 address may come mapped, and an IPv6 network hands out 2^64 addresses. */
function normalize(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':');
  const missing = address.includes('::') ? 8 - groups.length - tail.split(':').length : 0;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')].slice(0, 4).join(':');
}
