import type { RateLimiterRes } from 'rate-limiter-flexible';
import { type Counter, type CreateCounter, memoryCounter } from '../limits/rate-limits.ts';
import type { RedisConnections } from '../redis/redis-connections.ts';

/** Counts in Redis, so that a limit holds for all daemons together; while Redis is away, each daemon counts for itself. */
export const redisCounters =
  (connections: RedisConnections, prefix: string): CreateCounter =>
  async (name, limit) => {
    const { RateLimiterRedis } = await import('rate-limiter-flexible');
    const own = await memoryCounter(name, limit);
    const shared = new RateLimiterRedis({
      storeClient: connections.producer,
      keyPrefix: `${prefix}:limit:${name}`,
      points: limit.max,
      duration: limit.windowMs / 1000,
    });
    return {
      consume: async (key) => {
        const counted = await connections.attempt(() => counts(shared, key));
        return counted ? counted.value() : own.consume(key);
      },
      get: async (key) => {
        const found = await connections.attempt(() => shared.get(key));
        return found ? found.value : own.get(key);
      },
      penalty: async (key, points) =>
        (await connections.attempt(() => shared.penalty(key, points)))?.value ?? own.penalty(key, points),
    };
  };

/** What became of it, as a function: a refusal is no failure of Redis. */
async function counts(counter: Counter, key: string): Promise<() => RateLimiterRes> {
  try {
    const allowed = await counter.consume(key);
    return () => allowed;
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal;
    return () => {
      throw refusal;
    };
  }
}
