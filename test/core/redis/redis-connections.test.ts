import { afterEach, describe, expect, it } from 'vitest';
import { RedisConnections } from '../../../src/core/redis/redis-connections.ts';
import type { Log } from '../../../src/core/log.ts';
import { freePort } from '../../../bench/free-port.ts';
import { hasRedis, RedisServer } from '../../helpers/redis-server.ts';
import { patienceMs } from '../../helpers/long.ts';

const open: RedisConnections[] = [];
afterEach(() => {
  for (const connections of open.splice(0)) connections.close();
});

/** Connections with everything that they log, one line each. */
async function connect(url: string, monotonic = () => performance.now()) {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  const connections = await RedisConnections.open({
    url,
    log,
    monotonic,
    now: () => new Date(),
  });
  open.push(connections);
  return { connections, lines };
}

const next = ({ producer }: RedisConnections, event: string) =>
  new Promise<void>((resolve) => void producer.once(event, () => resolve()));

describe.skipIf(!hasRedis)('connections to Redis', () => {
  it('refuse a Redis that may drop keys and say what to do', async () => {
    await using server = await RedisServer.start('--maxmemory-policy', 'allkeys-lru');
    const { connections } = await connect(server.url);
    await expect(connections.check()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/allkeys-lru.*CONFIG SET maxmemory-policy noeviction/),
    });
  });

  it('say that a Redis may drop keys until it is set up', async () => {
    await using server = await RedisServer.start();
    const { connections, lines } = await connect(server.url);
    await connections.check();
    expect(await connections.fault()).toBeUndefined();
    await connections.attempt((redis) => redis.config('SET', 'maxmemory-policy', 'allkeys-lru'));
    connections.producer.disconnect(true);
    await expect
      .poll(() => lines, { timeout: patienceMs })
      .toContainEqual(expect.stringContaining('not set up'));
    expect(await connections.fault()).toMatchObject({
      message: expect.stringContaining('allkeys-lru'),
      isAway: false,
    });
    await connections.attempt((redis) => redis.config('SET', 'maxmemory-policy', 'noeviction'));
    expect(await connections.fault()).toBeUndefined();
  });

  it('refuse a Redis in cluster mode and say what to do', async () => {
    await using server = await RedisServer.start(
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(await freePort()),
    );
    const { connections } = await connect(server.url);
    await expect(connections.check()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/cluster mode.*cluster-enabled no/),
    });
  });

  it('log once that Redis takes no writes, however many are refused and reads are answered, and say what to do', async () => {
    await using server = await RedisServer.start();
    let time = 0;
    const { connections, lines } = await connect(server.url, () => time);
    await connections.check();
    await connections.attempt((redis) => redis.config('SET', 'maxmemory', '1'));
    for (let n = 0; n < 3; n++) {
      expect(await connections.attempt((redis) => redis.set('a', '1'))).toBeUndefined();
      expect(await connections.attempt((redis) => redis.get('a'))).toEqual({ value: null });
    }
    expect(lines).toEqual([expect.stringMatching(/Redis refuses commands.*raise maxmemory.*OOM/)]);
    expect(await connections.fault()).toMatchObject({
      message: expect.stringContaining('raise maxmemory'),
      isAway: false,
    });
    await connections.attempt((redis) => redis.config('SET', 'maxmemory', '0'));
    time += 30_000;
    expect(await connections.attempt((redis) => redis.set('a', '1'))).toEqual({ value: 'OK' });
    expect(lines.slice(1)).toEqual([expect.stringContaining('takes all commands again')]);
    expect(await connections.fault()).toBeUndefined();
  });

  it('leave a server that has become a replica, whose address may lead to another one by now', async () => {
    await using server = await RedisServer.start();
    const { connections, lines } = await connect(server.url);
    await connections.check();
    await connections.attempt((redis) => redis.replicaof('127.0.0.1', 1));
    const again = next(connections, 'ready');
    expect(await connections.attempt((redis) => redis.set('a', '1'))).toBeUndefined();
    await again;
    expect(lines).toEqual([expect.stringMatching(/refuses commands.*name the primary.*READONLY/)]);
  });

  it('accept one that keeps them', async () => {
    await using server = await RedisServer.start();
    const { connections, lines } = await connect(server.url);
    await connections.check();
    expect(await connections.attempt((redis) => redis.set('a', '1'))).toEqual({ value: 'OK' });
    expect(lines).toEqual([]);
  });

  it('refuse a wrong password without showing it', async () => {
    await using server = await RedisServer.start('--requirepass', 'right');
    const { connections, lines } = await connect(server.url.replace('//', '//:wr%40ng-secret@'));
    const error = await connections.check().catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'configuration' });
    expect(JSON.stringify([error, lines, String(error)])).not.toMatch(/wr(@|%40)ng/);
  });

  it('say that the URL has no password where Redis needs one', async () => {
    await using server = await RedisServer.start('--requirepass', 'right');
    const { connections } = await connect(server.url);
    await expect(connections.check()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^Redis needs a password.*QUEUE_STORE_URL/),
    });
  });

  it('tolerate that Redis is away at the start, log it once, and connect when it comes', async () => {
    await using server = await RedisServer.start();
    await server.kill();
    const { connections, lines } = await connect(server.url);
    await connections.check();
    expect(await connections.attempt((redis) => redis.ping())).toBeUndefined();
    for (let attempt = 0; attempt < 3; attempt++) await next(connections, 'reconnecting');
    expect(lines).toEqual([expect.stringContaining('Redis is away')]);
    const ready = next(connections, 'ready');
    await server.restart();
    await ready;
    await expect
      .poll(() => connections.attempt((redis) => redis.ping()), { timeout: patienceMs })
      .toEqual({ value: 'PONG' });
    expect(lines).toEqual([expect.stringContaining('away'), expect.stringContaining('is back')]);
  });

  it('give up on a command that is not answered, and then do not wait again', async () => {
    await using server = await RedisServer.start();
    const { connections, lines } = await connect(server.url);
    await connections.check();
    server.pause();
    expect(await connections.attempt((redis) => redis.ping())).toBeUndefined();
    expect(connections.isUp).toBe(false);
    server.resume();
    await expect
      .poll(() => connections.attempt((redis) => redis.ping()), { timeout: patienceMs })
      .toEqual({ value: 'PONG' });
    expect(lines).toEqual([expect.stringContaining('away'), expect.stringContaining('is back')]);
  });
});
