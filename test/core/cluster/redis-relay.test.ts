import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectRelay } from '../../../src/core/cluster/event-relay.ts';
import { RedisConnections } from '../../../src/core/redis/redis-connections.ts';
import { RedisRelay } from '../../../src/core/cluster/redis-relay.ts';
import { type CoreEvents, EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { patienceMs } from '../../helpers/long.ts';
import { hasRedis, newPrefix, RedisServer, sharedRedis } from '../../helpers/redis-server.ts';

const eventually = async (check: () => unknown): Promise<void> => {
  await vi.waitFor(check, { timeout: patienceMs, interval: 2 });
};
const columns = ['id', 'owner_id', 'status'] as const;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The bus of a daemon that hears the others, with what it heard. */
async function daemon(place: { url: string; prefix: string }, daemonId: string) {
  const monotonic = () => performance.now();
  const connections = await RedisConnections.open({
    url: place.url,
    log: silentLog,
    monotonic,
    now: () => new Date(),
  });
  await connections.check();
  const bus = new EventBus();
  const bugs: unknown[] = [];
  const relay = new RedisRelay({
    connections,
    prefix: place.prefix,
    daemonId,
    columns,
    receive: (name, payload) => bus.receive(name, payload),
    reportBug: (error) => bugs.push(error),
  });
  const heard: [keyof CoreEvents, unknown][] = [];
  const names = [
    'task',
    'users_changed',
    'rights_changed',
    'queue',
    'task_output',
    'approval',
    'token_ended',
  ] as const;
  for (const name of names) bus.on(name, (payload) => heard.push([name, payload]));
  let gaps = 0;
  connectRelay(bus, relay);
  bus.onGap(() => gaps++);
  relay.start();
  await eventually(() => expect(gaps).toBe(1));
  closing.push(async () => {
    await relay.stop();
    connections.close();
  });
  return { bus, relay, heard, bugs, gaps: () => gaps };
}
/** What is published there, from now on. */
async function overhear({ url, prefix }: { url: string; prefix: string }): Promise<string[]> {
  const texts: string[] = [];
  const listener = new Redis(url);
  closing.push(async () => listener.disconnect());
  await listener.subscribe(`${prefix}:events`);
  listener.on('message', (_, text) => texts.push(text));
  return texts;
}
const someone = async () => ({ url: (await sharedRedis()).url, prefix: newPrefix() });

describe.skipIf(!hasRedis)('events between daemons', () => {
  it('reach the other daemon in order, and not the sender again', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    const local: unknown[] = [];
    b.bus.onLocal('rights_changed', (payload) => local.push(payload));
    const expected = Array.from({ length: 500 }, (_, index) => ['rights_changed', { userId: `u${index}` }]);
    for (const [, payload] of expected) a.bus.emit('rights_changed', payload as never);
    a.bus.emit('queue', undefined);
    await eventually(() => expect(b.heard).toHaveLength(501));
    expect(b.heard).toEqual([...expected, ['queue', undefined]]);
    expect(a.heard).toHaveLength(501);
    b.bus.emit('rights_changed', { userId: 'own' });
    await eventually(() => expect(a.heard).toHaveLength(502));
    expect(local).toEqual([{ userId: 'own' }]);
  });

  it('travel as one message per turn of the event loop, and are split where they are large', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    const messages = await overhear(place);
    for (let index = 0; index < 100; index++) a.bus.emit('rights_changed', { userId: 'u' });
    await eventually(() => expect(b.heard).toHaveLength(100));
    await eventually(() => expect(messages).toHaveLength(1));
    for (let index = 0; index < 10; index++) a.bus.emit('rights_changed', { userId: 'u'.repeat(100_000) });
    await eventually(() => expect(b.heard).toHaveLength(110));
    // A message that has passed its limit of 262,144 characters takes no more.
    await eventually(() => expect(messages).toHaveLength(5));
  });

  it('of tasks carry each state of one once, and nothing that is no column', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    const texts = await overhear(place);
    const queued = { id: 't1', owner_id: 'u1', status: 'queued', env: 'sealed' };
    const done = { ...queued, status: 'completed' };
    const emitted = [
      { task: queued, event: { type: 'created', data: { n: 1 } } },
      { task: queued, event: { type: 'queued', data: {} } },
      { task: done, event: { type: 'completed', data: {} } },
    ];
    a.bus.emit('users_changed', undefined);
    for (const each of emitted) a.bus.emit('task', each as never);
    a.bus.emit('queue', undefined);
    await eventually(() => expect(b.heard).toHaveLength(5));
    const { env: _, ...state } = queued;
    expect(b.heard).toEqual([
      ['users_changed', undefined],
      ...emitted.map(({ task: { status }, event }) => ['task', { task: { ...state, status }, event }]),
      ['queue', undefined],
    ]);
    await eventually(() => expect(texts).toHaveLength(1));
    expect(texts[0]?.match(/"t1"/g)).toHaveLength(2);
    expect(texts[0]).not.toContain('sealed');
  });

  it('that are too large are a gap', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    a.bus.emit('rights_changed', { userId: 'u'.repeat(2_000_000) });
    await eventually(() => expect(b.gaps()).toBe(2));
    expect(b.heard).toEqual([]);
  });

  it('of other versions, without sense or with unknown names are ignored', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const redis = new Redis(place.url);
    const send = (message: unknown) => redis.publish(`${place.prefix}:events`, JSON.stringify(message));
    await send({ v: 1, from: 'b', events: [['queue', null]] });
    await send([]);
    await redis.publish(`${place.prefix}:events`, 'no JSON');
    await send({
      v: 3,
      from: 'b',
      columns,
      tasks: [],
      events: [
        ['task_output', {}],
        ['constructor', {}],
        ['token_ended', { tokenId: 't' }],
      ],
    });
    redis.disconnect();
    await eventually(() => expect(a.heard).toEqual([['token_ended', { tokenId: 't' }]]));
    expect(a.bugs).toEqual([]);
  });

  it('stay here where they are of no use elsewhere, and carry no arguments of a call', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    const texts = await overhear(place);
    const secret = 'planted-secret';
    const row = { id: 'appr_1', run_id: 'run_1', status: 'approved', arguments: secret, edited: secret };
    const rest = {
      reason: secret,
      scripts: secret,
      diff: secret,
      context: secret,
      covers: secret,
      basis: secret,
    };
    a.bus.emit('task_output', { task: { id: secret }, piece: {} } as never);
    a.bus.emit('task_moved', {
      before: { id: secret, status: 'queued' },
      task: { status: 'cancelled' },
    } as never);
    a.bus.emit('approval', { row: { ...row, ...rest }, approval: { id: 'appr_1' } } as never);
    await eventually(() => expect(b.heard).toHaveLength(1));
    expect(b.heard[0]).toMatchObject([
      'approval',
      { row: { id: 'appr_1', status: 'approved', edited: null } },
    ]);
    await eventually(() => expect(texts).toHaveLength(1));
    expect(texts.join()).not.toContain(secret);
  });

  it('that a listener fails on do not keep others from being heard', async () => {
    const place = await someone();
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    b.bus.on('rights_changed', ({ userId }) => {
      if (userId === 'bad') throw new Error('No');
    });
    for (const userId of ['bad', 'good']) a.bus.emit('rights_changed', { userId });
    await eventually(() => expect(b.heard).toHaveLength(2));
    expect(b.bugs).toHaveLength(1);
  });

  it('were missed while Redis was away, which every daemon is told', async () => {
    await using server = await RedisServer.start();
    const place = { url: server.url, prefix: 'svc' };
    const a = await daemon(place, 'a');
    const b = await daemon(place, 'b');
    await server.kill();
    a.bus.emit('rights_changed', { userId: 'lost' });
    await server.restart();
    await eventually(() => expect(b.gaps()).toBeGreaterThanOrEqual(2));
    await eventually(() => {
      a.bus.emit('rights_changed', { userId: 'heard' });
      expect(b.heard).toContainEqual(['rights_changed', { userId: 'heard' }]);
    });
  });
});
