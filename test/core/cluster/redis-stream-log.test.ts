import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisConnections } from '../../../src/core/redis/redis-connections.ts';
import { RedisStreamLog } from '../../../src/core/cluster/redis-stream-log.ts';
import { StreamUnavailable } from '../../../src/core/cluster/stream-log.ts';
import { silentLog } from '../../../src/core/log.ts';
import { hasRedis, newPrefix, RedisServer, sharedRedis } from '../../helpers/redis-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function daemon<T = string>({ url, prefix }: { url: string; prefix: string }, daemonId: string) {
  const connections = await RedisConnections.open({
    url,
    log: silentLog,
    monotonic: () => performance.now(),
    now: () => new Date(),
  });
  await connections.check();
  const log = new RedisStreamLog<T>({ connections, prefix, daemonId });
  closing.push(async () => {
    await log.stop();
    connections.close();
  });
  return Object.assign(log, { connections });
}
const someone = async () => ({ url: (await sharedRedis()).url, prefix: newPrefix() });
const never = () => new AbortController().signal;
const read = async <T>(entries: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
};

describe.skipIf(!hasRedis)('the stream of a run', () => {
  it('is read by another daemon from its first item to its end, while it comes and afterwards', async () => {
    const place = await someone();
    const [a, b, c] = [await daemon(place, 'a'), await daemon(place, 'b'), await daemon(place, 'c')];
    const live = read(b.follow('run_1', never()));
    const items = Array.from({ length: 3000 }, (_, index) => `piece ${index}`);
    for (const item of items) a.append('run_1', item);
    a.end('run_1');
    const expected = [...items.map((item) => ({ item })), 'end'];
    expect(await live).toEqual(expected);
    expect(await read(c.follow('run_1', never()))).toEqual(expected);
    const redis = new Redis(place.url);
    const ttl = await redis.ttl(`${place.prefix}:run:run_1`);
    const length = await redis.xlen(`${place.prefix}:run:run_1`);
    redis.disconnect();
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(600);
    // What comes within a moment travels together.
    expect(length).toBeLessThan(30);
  });

  it('is not read by the daemon that writes it, and ends with the signal', async () => {
    const place = await someone();
    const [a, b] = [await daemon(place, 'a'), await daemon(place, 'b')];
    const client = new AbortController();
    const own = read(a.follow('run_1', client.signal));
    a.append('run_1', 'mine');
    b.append('run_1', 'theirs');
    for await (const entry of b.follow('run_1', never())) {
      expect(entry).toEqual({ item: 'mine' });
      break;
    }
    b.end('run_1');
    expect(await own).toEqual([{ item: 'theirs' }, 'end']);
    const idle = read(a.follow('run_2', client.signal));
    client.abort();
    expect(await idle).toEqual([]);
  });

  it('is unavailable from a part on that a daemon of another version has written', async () => {
    const place = await someone();
    const [a, b] = [await daemon(place, 'a'), await daemon(place, 'b')];
    a.append('run_1', 'known');
    await a.stop();
    const redis = new Redis(place.url);
    const unknown = JSON.stringify({ v: 2, from: 'c', parts: ['?'] });
    await redis.xadd(`${place.prefix}:run:run_1`, '*', 'e', unknown);
    redis.disconnect();
    const entries = b.follow('run_1', never());
    expect((await entries.next()).value).toEqual({ item: 'known' });
    await expect(entries.next()).rejects.toThrow('another version of svc');
  });

  it('says where Redis is away, and where a part is missing', async () => {
    await using server = await RedisServer.start();
    const place = { url: server.url, prefix: 'svc' };
    const [a, b] = [await daemon(place, 'a'), await daemon(place, 'b')];
    a.append('run_1', 'one');
    await a.stop();
    await server.kill();
    await expect(read(b.follow('run_1', never()))).rejects.toBeInstanceOf(StreamUnavailable);
    a.append('run_1', 'lost');
    await a.stop();
    await server.restart();
    const again = await daemon(place, 'c');
    // The writer has to be connected again to say so.
    await expect.poll(() => a.connections.isUp, { timeout: 20_000 }).toBe(true);
    a.end('run_1');
    const got: unknown[] = [];
    const reading = (async () => {
      for await (const entry of again.follow('run_1', never())) got.push(entry);
    })();
    await expect(reading).rejects.toBeInstanceOf(StreamUnavailable);
    expect(got).toEqual([{ item: 'one' }]);
  }, 180_000);
});
