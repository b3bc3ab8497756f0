import { Worker } from 'bullmq';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RedisConnections } from '../../../src/core/redis/redis-connections.ts';
import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { Requirements } from '../../../src/core/placement.ts';
import { BullMqQueue } from '../../../src/core/queue/bullmq-queue.ts';
import { patienceMs, sized } from '../../helpers/long.ts';
import { hasRedis, newPrefix, RedisServer, sharedRedis } from '../../helpers/redis-server.ts';
import { behavesLikeItsModel, Workers } from './queue-model.ts';

const HOUR = 3_600_000;
const NAME = 'tasks@host:a';
const eventually = async (check: () => unknown): Promise<void> => {
  await vi.waitFor(check, { timeout: patienceMs, interval: 2 });
};

const opened: { queue: BullMqQueue; workers: Workers; connections: RedisConnections }[] = [];
afterEach(async () => {
  for (const { queue, workers, connections } of opened.splice(0)) {
    const closed = queue.close();
    workers.endAll();
    await closed;
    connections.close();
  }
});

/** The queue of one daemon; without a concurrency it only adds. */
async function daemon({
  url,
  prefix,
  concurrency,
  offerMs = 20,
  lockMs = 10_000,
  labels,
  bus,
}: {
  url: string;
  prefix: string;
  concurrency?: number;
  offerMs?: number;
  lockMs?: number;
  /** Those of the daemon, where wake-ups travel by label. */
  labels?: string[];
  /** Where it is one of two daemons that tell each other of their free slots. */
  bus?: EventBus;
}) {
  const monotonic = () => performance.now();
  const connections = await RedisConnections.open({ url, log: silentLog, monotonic, now: () => new Date() });
  await connections.check();
  const own = new Set(labels);
  const routed = labels && {
    routes: { of: ({ needs }: Requirements) => needs[0] ?? '', own: () => labels },
    intake: { isOpen: true, runs: ({ needs }: Requirements) => needs.every((label) => own.has(label)) },
  };
  const capacity = bus && { bus, daemonId: 'this', others: () => ['other'], monotonic };
  const queue = await BullMqQueue.open({
    connections,
    name: NAME,
    prefix,
    lockMs,
    offerMs,
    ...routed,
    ...(capacity && { capacity }),
  });
  const workers = new Workers();
  if (concurrency !== undefined) await queue.start(workers.handle, { concurrency });
  const started = { queue, workers, connections };
  opened.push(started);
  return started;
}
const someone = async () => ({ url: (await sharedRedis()).url, prefix: newPrefix() });

/** How many wake-ups Redis has, by their state. */
async function inRedis({ url, prefix }: { url: string; prefix: string }) {
  const redis = new Redis(url);
  const key = (state: string) => `${prefix}:tasks@host%3Aa:${state}`;
  const [waiting, active, delayed] = await Promise.all([
    redis.llen(key('wait')),
    redis.llen(key('active')),
    redis.zcard(key('delayed')),
  ]);
  redis.disconnect();
  return { waiting, active, delayed };
}

describe.skipIf(!hasRedis)('a queue on Redis', () => {
  it('the queue behaves like the model of the port', async () => {
    let place = await someone();
    await behavesLikeItsModel({
      open: async (concurrency) => {
        place = await someone();
        return daemon({ ...place, concurrency });
      },
      delays: fc.integer({ min: HOUR, max: 2 * HOUR }),
      compare: (check) =>
        eventually(async () => {
          check();
          expect(await inRedis(place)).toMatchObject({ waiting: 0, active: 0 });
          // What Redis answered the queue by then is here once it has answered something later.
          await inRedis(place);
          check();
        }),
      runs: sized(10, 60),
    });
  });

  it('two daemons share the work, and no id is lost', async () => {
    const place = await someone();
    const a = await daemon({ ...place, concurrency: 3 });
    const b = await daemon({ ...place, concurrency: 3 });
    const ids = Array.from({ length: 1000 }, (_, index) => `task_${index}`);
    const both = [a, b];
    await Promise.all(ids.map((id, index) => (index % 2 ? a : b).queue.enqueue(id)));
    await eventually(() => {
      for (const { workers } of both) workers.endAll();
      expect(a.workers.delivered.length + b.workers.delivered.length).toBeGreaterThanOrEqual(ids.length);
    });
    await eventually(async () => expect(await inRedis(place)).toEqual({ waiting: 0, active: 0, delayed: 0 }));
    const delivered = [...a.workers.delivered, ...b.workers.delivered];
    expect(new Set(delivered)).toEqual(new Set(ids));
    // One that a stalled process held for longer than its lock comes again; the row decides who runs it.
    expect(delivered.length).toBeLessThan(ids.length * 1.2);
  });

  it('a daemon with a free slot needs no Redis, and one that runs no tasks leaves them to others', async () => {
    const place = await someone();
    const api = await daemon(place);
    await api.queue.enqueue('a', { priority: 1, owner: 'user_1', agent: 'http', lane: 'interactive' });
    expect(await inRedis(place)).toMatchObject({ waiting: 1 });
    const worker = await daemon({ ...place, concurrency: 2 });
    await eventually(() => expect(worker.workers.delivered).toEqual(['a']));
    await worker.queue.enqueue('b');
    expect(worker.workers.delivered).toEqual(['a', 'b']);
  });

  it('wakes only daemons that have the label', async () => {
    const place = await someone();
    const plain = await daemon({ ...place, concurrency: 5, labels: ['host:a'] });
    const able = await daemon({ ...place, concurrency: 1, labels: ['host:b', 'gpu'] });
    const ids = ['b', 'c', 'd', 'e'];
    for (const id of ids) await plain.queue.enqueue(id, { needs: ['gpu'] });
    await plain.queue.enqueue('any');
    await able.queue.enqueue('there', { needs: ['host:a'], delayMs: 1 });
    able.workers.endAll();
    await eventually(() => {
      able.workers.endAll();
      expect(able.workers.delivered.toSorted()).toEqual(ids);
    });
    await eventually(() => expect(plain.workers.delivered.toSorted()).toEqual(['any', 'there']));
  });

  it('keeps the priority, owner, agent, labels and lane of what it carries', async () => {
    const place = await someone();
    const api = await daemon(place);
    const work = {
      priority: 2,
      owner: 'user_1',
      agent: 'http',
      needs: ['gpu'],
      lane: 'interactive',
    } as const;
    await api.queue.enqueue('a', work);
    const { queue } = await daemon(place);
    const got = Promise.withResolvers<unknown>();
    await queue.start(async (id, delivered) => got.resolve([id, delivered]), { concurrency: 1 });
    expect(await got.promise).toEqual(['a', work]);
  });

  it('delivers a wake-up that a daemon took and did not acknowledge before it was killed', async () => {
    const place = await someone();
    const api = await daemon(place);
    await api.queue.enqueue('a');
    const connection = new Redis(place.url, { maxRetriesPerRequest: null });
    const killed = new Worker('tasks@host%3Aa', null, {
      connection,
      prefix: place.prefix,
      autorun: false,
      lockDuration: 300,
    });
    expect((await killed.getNextJob('token'))?.id).toBe('a');
    await killed.close(true);
    connection.disconnect();
    const { workers } = await daemon({ ...place, concurrency: 1, lockMs: 300 });
    await eventually(() => expect(workers.delivered).toEqual(['a']));
  }, 180_000);

  it('an id is delivered by this daemon where Redis hangs', async () => {
    await using server = await RedisServer.start();
    const { queue, workers } = await daemon({ url: server.url, prefix: 'svc', concurrency: 1 });
    await queue.enqueue('runs');
    server.pause();
    await queue.enqueue('waits');
    await queue.enqueue('later', { delayMs: 1 });
    expect(workers.delivered).toEqual(['runs']);
    workers.running[0]?.end();
    await eventually(() => {
      workers.endAll();
      expect(workers.delivered.toSorted()).toEqual(['later', 'runs', 'waits']);
    });
    server.resume();
  });

  it('deliveries go on while Redis is killed, and after it is back', async () => {
    await using server = await RedisServer.start();
    const place = { url: server.url, prefix: 'svc' };
    const worker = await daemon({ ...place, concurrency: 10 });
    const full = await daemon({ ...place, concurrency: 1, offerMs: HOUR });
    const api = await daemon(place);
    await full.queue.enqueue('runs');
    await server.kill();
    await full.queue.enqueue('alone');
    await api.queue.enqueue('kept');
    full.workers.running[0]?.end();
    await eventually(() => expect(full.workers.delivered).toEqual(['runs', 'alone']));
    await server.restart();
    // The daemon that runs no tasks hands over what it kept.
    const delivered = () => [...worker.workers.delivered, ...full.workers.delivered];
    await eventually(() => expect(delivered()).toContain('kept'));
    await api.queue.enqueue('after');
    await eventually(() => expect(delivered()).toContain('after'));
  }, 180_000);

  it('a shorter delay holds, a longer one does not, and no delay ends the wait', async () => {
    const place = await someone();
    const api = await daemon(place);
    const worker = await daemon({ ...place, concurrency: 10 });
    await api.queue.enqueue('sooner', { delayMs: HOUR });
    await api.queue.enqueue('sooner', { delayMs: 20 });
    await api.queue.enqueue('sooner', { delayMs: 2 * HOUR });
    await eventually(() => expect(worker.workers.delivered).toEqual(['sooner']));
    await api.queue.enqueue('now', { delayMs: HOUR });
    await api.queue.enqueue('now');
    await eventually(() => expect(worker.workers.delivered).toEqual(['sooner', 'now']));
    expect(await inRedis(place)).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('removes an id that waits in Redis, for its turn or for its time', async () => {
    const place = await someone();
    const api = await daemon(place);
    await api.queue.enqueue('a');
    await api.queue.enqueue('b', { delayMs: HOUR });
    await api.queue.remove('a');
    await api.queue.remove('b');
    expect(await inRedis(place)).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('work waits in no full daemon while another has a free slot', async () => {
    const place = await someone();
    const full = await daemon({ ...place, concurrency: 1, offerMs: HOUR });
    const idle = await daemon({ ...place, concurrency: 20 });
    await full.queue.enqueue('runs');
    const ids = Array.from({ length: 20 }, (_, index) => `task_${index}`);
    for (const id of ids) await full.queue.enqueue(id);
    await eventually(() => expect(idle.workers.delivered.toSorted()).toEqual(ids.toSorted()));
  });

  it('work stays where it came while all daemons are full, and goes to the first with a free slot', async () => {
    const place = await someone();
    const [ofA, ofB] = [new EventBus(), new EventBus()];
    const told: number[] = [];
    for (const [from, to] of [
      [ofA, ofB],
      [ofB, ofA],
    ] as const)
      from.onLocal('capacity_changed', (each) => {
        if (from === ofB) told.push(each.free);
        to.receive('capacity_changed', { ...each, daemonId: 'other' });
      });
    const a = await daemon({ ...place, concurrency: 1, bus: ofA });
    const b = await daemon({ ...place, concurrency: 2, bus: ofB });
    for (const id of ['b1', 'b2', 'b3']) await b.queue.enqueue(id);
    await eventually(() => expect(a.workers.delivered).toEqual(['b3']));
    await eventually(() => expect(told).toContain(0));
    const ids = Array.from({ length: 150 }, (_, index) => `task_${index}`);
    for (const id of ids) await a.queue.enqueue(id);
    expect(await inRedis(place)).toEqual({ waiting: 0, active: 0, delayed: 0 });
    expect(a.workers.delivered).toEqual(['b3']);
    await a.queue.enqueue('urgent', { priority: 1 });
    expect(await inRedis(place)).not.toEqual({ waiting: 0, active: 0, delayed: 0 });
    await eventually(() => {
      b.workers.endAll();
      expect(b.workers.delivered).toEqual(expect.arrayContaining(['b1', 'b2', ...ids]));
    });
  });

  it('no wake-up is lost that comes while the same id runs', async () => {
    const place = await someone();
    const a = await daemon({ ...place, concurrency: 1 });
    const b = await daemon(place);
    await b.queue.enqueue('a');
    for (let round = 1; round <= 20; round++) {
      await eventually(() => expect(a.workers.delivered).toHaveLength(round));
      await b.queue.enqueue('a');
      a.workers.running[0]?.end();
    }
  });

  it('a daemon that stops gives back what waits, and finishes what runs', async () => {
    const place = await someone();
    const a = await daemon({ ...place, concurrency: 1 });
    const ids = Array.from({ length: 10 }, (_, index) => `task_${index}`);
    for (const id of ['runs', ...ids]) await a.queue.enqueue(id);
    await eventually(async () => expect(await inRedis(place)).toMatchObject({ waiting: 0, active: 0 }));
    let isClosed = false;
    const closed = a.queue.close().then(() => (isClosed = true));
    const b = await daemon({ ...place, concurrency: 20 });
    await eventually(() => expect(b.workers.delivered.toSorted()).toEqual(ids));
    expect(isClosed).toBe(false);
    // What comes while it drains is for the others.
    await a.queue.enqueue('drains');
    await eventually(() => expect(b.workers.delivered).toContain('drains'));
    a.workers.running[0]?.end();
    await closed;
    expect(a.workers.delivered).toEqual(['runs']);
  });

  it('one daemon hears that Redis has lost everything', async () => {
    await using server = await RedisServer.start();
    const place = { url: server.url, prefix: 'svc' };
    const queues = [(await daemon(place)).queue, (await daemon(place)).queue];
    const ask = async () =>
      (await Promise.all(queues.map((queue) => queue.wasEmptied()))).filter(Boolean).length;
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
    await server.flushAll();
    expect(await ask()).toBe(1);
    await server.kill();
    expect(await ask()).toBe(0);
  });

  it('stops while Redis is away', async () => {
    await using server = await RedisServer.start();
    const { queue, workers } = await daemon({ url: server.url, prefix: 'svc', concurrency: 1 });
    await queue.enqueue('a');
    await server.kill();
    await queue.enqueue('b');
    const closed = queue.close();
    workers.running[0]?.end();
    await closed;
    expect(workers.delivered).toEqual(['a']);
  });
});
