import { describe, expect, it } from 'vitest';
import { addressKey, RateLimits } from '../../../src/core/limits/rate-limits.ts';

const limit = { max: 3, windowMs: 60_000, message: 'Enough' };
const rateLimits = () => new RateLimits(() => performance.now());

/** How many calls of these addresses pass, one after another. */
async function countPassed(addresses: string[], nameOf: (index: number) => string = () => 'GET /a') {
  const limits = rateLimits();
  let passed = 0;
  for (const [index, address] of addresses.entries())
    await limits.take(nameOf(index), addressKey(address), limit).then(
      () => passed++,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'rate_limited', message: 'Enough' });
        const { retryAfterMs } = error as { retryAfterMs: number };
        expect(retryAfterMs).toBeGreaterThan(0);
        expect(retryAfterMs).toBeLessThanOrEqual(60_000);
      },
    );
  return passed;
}

describe('a limit', () => {
  it.each<[string, string[], number]>([
    ['one address', ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1'], 3],
    ['two addresses', ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.1'], 4],
    ['an IPv4 address, also as IPv6', ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1', '10.0.0.1'], 3],
    [
      'an IPv4 address in every spelling',
      ['::ffff:cb00:714d', '203.0.113.77', '0:0:0:0:0:FFFF:203.0.113.77', '::ffff:203.0.113.77'],
      3,
    ],
    [
      'an IPv6 address in every spelling',
      ['2001:db8:9::1', '2001:0db8:0009::1', '2001:DB8:9:0::1', '2001:0db8:0009:0000::1'],
      3,
    ],
    ['one network of IPv6', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::1', '2001:db8::ffff:1'], 3],
    ['two networks of IPv6', ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:1::2', '2001:db8:0:2::2'], 4],
    ['the loopback address', ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1'], 3],
  ])('a limit counts %s', async (_, addresses, passed) => {
    expect(await countPassed(addresses)).toBe(passed);
  });

  it('a limit counts each route separately', async () => {
    const addresses = Array.from({ length: 8 }, () => '10.0.0.1');
    expect(await countPassed(addresses, (index) => (index % 2 === 0 ? 'GET /a' : 'GET /b'))).toBe(6);
  });

  it('counts concurrent requests exactly', async () => {
    const limits = rateLimits();
    const all = Array.from({ length: 500 }, () => limits.take('GET /a', 'x', limit));
    const passed = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect(passed).toHaveLength(3);
  });

  it('checks a limit without counting', async () => {
    const limits = rateLimits();
    for (let at = 0; at < 10; at++) await limits.check('GET /a', 'x', limit);
    for (let at = 0; at < 3; at++) await limits.take('GET /a', 'x', limit);
    await expect(limits.check('GET /a', 'x', limit)).rejects.toMatchObject({ code: 'rate_limited' });
    await limits.check('GET /a', 'y', limit);
  });

  it('counts several at once, also past the limit', async () => {
    const limits = rateLimits();
    expect(await limits.left('tokens', 'x', limit)).toBe(3);
    await limits.add('tokens', 'x', limit, 2);
    expect(await limits.left('tokens', 'x', limit)).toBe(1);
    await limits.check('tokens', 'x', limit);
    await limits.add('tokens', 'x', limit, 50);
    expect(await limits.left('tokens', 'x', limit)).toBe(0);
    await expect(limits.check('tokens', 'x', limit)).rejects.toMatchObject({ message: 'Enough' });
    expect(await limits.left('tokens', 'y', limit)).toBe(3);
  });

  it('keeps counting known keys when there are too many', async () => {
    const limits = rateLimits();
    for (let at = 0; at < 3; at++) await limits.take('GET /a', 'known', limit);
    for (let at = 0; at < 20_000; at++) await limits.take('GET /a', `address ${at}`, limit);
    await expect(limits.take('GET /a', 'known', limit)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('bounds its memory and still enforces the limit', async () => {
    const limits = rateLimits();
    for (let at = 0; at < 20_000; at++) await limits.take('GET /a', `address ${at}`, limit);
    let refused = 0;
    for (let at = 0; at < 2000; at++) await limits.take('GET /a', `late ${at}`, limit).catch(() => refused++);
    expect(refused).toBeGreaterThan(1000);
  });
});
