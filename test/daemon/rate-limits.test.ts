import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { RateLimits } from '../../src/daemon/rate-limits.ts';

const limit = { max: 3, windowMs: 60_000, message: 'Enough' };

/** How many calls of these addresses pass, one after another. */
async function countPassed(addresses: string[], routeOf: (index: number) => string = () => 'GET /a') {
  const limits = new RateLimits();
  const headers: Record<string, unknown> = {};
  const reply = {
    header: (name: string, value: unknown) => (headers[name] = value),
  } as unknown as FastifyReply;
  let passed = 0;
  for (const [index, address] of addresses.entries())
    await limits.take(routeOf(index), limit, address, reply).then(
      () => passed++,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'rate_limited', message: 'Enough' });
        expect(headers['retry-after']).toBeGreaterThan(0);
        expect(headers['retry-after']).toBeLessThanOrEqual(60);
      },
    );
  return passed;
}

describe('a limit', () => {
  it.each<[string, string[], number]>([
    ['one address', ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1'], 3],
    ['two addresses', ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.1'], 4],
    ['an IPv4 address, also as IPv6', ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1', '10.0.0.1'], 3],
    ['one network of IPv6', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::1', '2001:db8::ffff:1'], 3],
    ['two networks of IPv6', ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:1::2', '2001:db8:0:2::2'], 4],
    ['the loopback address', ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1'], 3],
  ])('counts %s', async (_, addresses, passed) => {
    expect(await countPassed(addresses)).toBe(passed);
  });

  it('counts each route for itself', async () => {
    const addresses = Array.from({ length: 8 }, () => '10.0.0.1');
    expect(await countPassed(addresses, (index) => (index % 2 === 0 ? 'GET /a' : 'GET /b'))).toBe(6);
  });
});
