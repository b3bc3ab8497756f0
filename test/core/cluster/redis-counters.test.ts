import { afterEach, describe, expect, it } from 'vitest';
import { RedisConnections } from '../../../src/core/redis/redis-connections.ts';
import { redisCounters } from '../../../src/core/cluster/redis-counters.ts';
import { RateLimits } from '../../../src/core/limits/rate-limits.ts';
import { silentLog } from '../../../src/core/log.ts';
import { hasRedis, newPrefix, RedisServer, sharedRedis } from '../../helpers/redis-server.ts';

const limit = { max: 3, windowMs: 3_600_000 };
const open: RedisConnections[] = [];
afterEach(() => {
  for (const connections of open.splice(0)) connections.close();
});

/** The limits of one daemon. */
async function daemon(url: string, prefix: string) {
  const monotonic = () => performance.now();
  const connections = await RedisConnections.open({ url, log: silentLog, monotonic, now: () => new Date() });
  open.push(connections);
  await connections.check();
  return new RateLimits(monotonic, redisCounters(connections, prefix));
}

describe.skipIf(!hasRedis)('rate limits of a cluster', () => {
  it('hold for all daemons together, per name and key', async () => {
    const [{ url }, prefix] = [await sharedRedis(), newPrefix()];
    const [a, b] = [await daemon(url, prefix), await daemon(url, prefix)];
    for (const limits of [a, b, a]) await limits.take('sign in', 'address', limit);
    await expect(b.take('sign in', 'address', limit)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: expect.any(Number),
    });
    await expect(a.check('sign in', 'address', limit)).rejects.toMatchObject({ code: 'rate_limited' });
    await b.take('sign in', 'another', limit);
    await b.take('other', 'address', limit);
  });

  it('hold within each daemon while Redis is away', async () => {
    await using server = await RedisServer.start();
    const limits = await daemon(server.url, 'svc');
    await limits.take('sign in', 'address', limit);
    await server.kill();
    for (let count = 0; count < limit.max; count++) await limits.take('sign in', 'address', limit);
    await expect(limits.take('sign in', 'address', limit)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(limits.check('sign in', 'address', limit)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
