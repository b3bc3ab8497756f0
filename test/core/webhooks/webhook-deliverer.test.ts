import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { OutboundError } from '../../../src/core/outbound/outbound-error.ts';
import { openStorage } from '../../helpers/storage.ts';
import { until } from '../../helpers/tasks.ts';
import { manualTimer } from '../outbound/manual-timer.ts';
import { addWebhook, began, bodyOf, deliveryWorld, keys, secret, type Said } from './delivery-world.ts';

const HOUR = 3_600_000;
const schedule = [30, 300, 1800, 7200, 43_200];
/** Seconds of the six attempts, where each delay is `factor` times the one that is promised. */
const attemptsAt = (factor: number) =>
  schedule.reduce((times, delay) => [...times, (times.at(-1) ?? 0) + delay * factor], [0]);

describe('a delivery', () => {
  it('sends a delivery once and at once, and stores the result', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => ({ status: 202, text: 'thank you' }) });
    await world.add('dlv_1');
    await world.timer.advance(0);
    await world.timer.advance(100 * HOUR);
    expect(world.sent).toHaveLength(1);
    const row = await world.row('dlv_1');
    const at = new Date(began).toISOString();
    expect(row).toMatchObject({
      status: 'delivered',
      attempt: 1,
      status_code: 202,
      response_body: 'thank you',
      error: null,
      at,
      next_attempt_at: null,
      ended_at: at,
    });
    expect(row.duration_ms).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(row.history)).toEqual([{ at, statusCode: 202, durationMs: row.duration_ms }]);
    expect(await world.webhook()).toMatchObject({
      status: 'active',
      delivery_count: 1,
      failure_count: 0,
      last_delivery_at: at,
    });
  });

  it('a delivery contains its event, and is signed over its exact bytes', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { timer: manualTimer(Date.now()) });
    await world.add('dlv_1');
    await world.timer.advance(0);
    const [{ url, method, headers = {}, body = '', timeoutMs } = expect.fail()] = world.sent;
    expect({ url, method, timeoutMs, body }).toEqual({
      url: 'https://wh-1.example/hook',
      method: 'POST',
      timeoutMs: 10_000,
      body: bodyOf('dlv_1'),
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'task.completed',
      'x-service-delivery': 'dlv_1',
      'webhook-id': 'dlv_1',
      'x-service-signature': expect.stringMatching(/^sha256=[\da-f]{64}$/),
    });
    expect(headers).not.toHaveProperty('x-service-signature-previous');
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('a delivery is also signed with the previous secret while that is valid', async () => {
    await using storage = await openStorage();
    const timer = manualTimer(Date.now());
    const previous = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await addWebhook(storage.database, 'wh_1', {
      previous_secret: keys.box.seal(previous, 'webhooks:wh_1'),
      previous_until: new Date(timer.now().getTime() + 60_000).toISOString(),
    });
    const world = deliveryWorld(storage.database, { timer });
    await world.add('dlv_1');
    await timer.advance(60_000);
    await world.add('dlv_2');
    await timer.advance(0);
    const [rotated, later] = world.sent.map(({ headers = {}, body = '' }) => ({ headers, body }));
    for (const key of [secret, previous])
      expect(() => new Webhook(key).verify(rotated?.body ?? '', rotated?.headers ?? {})).not.toThrow();
    expect(rotated?.headers['x-service-signature-previous']).toMatch(/^sha256=[\da-f]{64}$/);
    expect(later?.headers['webhook-signature']).not.toContain(' ');
    expect(later?.headers).not.toHaveProperty('x-service-signature-previous');
  });

  it('each attempt uses the current URL and secret', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500, timer: manualTimer(Date.now()) });
    await world.add('dlv_1');
    await world.timer.advance(0);
    const next = 'whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
    await world.change({ url: 'https://new.example/', secret: keys.box.seal(next, 'webhooks:wh_1') });
    await world.timer.advance(30_000);
    const { url, headers = {}, body = '' } = world.sent[1] ?? expect.fail();
    expect(url).toBe('https://new.example/');
    expect(() => new Webhook(next).verify(body, headers)).not.toThrow();
  });

  it.each([
    ['exactly', 0, 1],
    ['at most a tenth later', 0.999_999, 1.1],
  ])('retries a delivery unchanged as documented, %s, and then gives up', async (_, random, factor) => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500, random: () => random });
    await world.add('dlv_1');
    await world.timer.advance(24 * HOUR);
    const expected = attemptsAt(factor);
    expect(world.seconds()).toHaveLength(6);
    world.seconds().forEach((at, index) => {
      expect(at).toBeCloseTo(expected[index] ?? Number.NaN, 0);
      expect(at).toBeLessThanOrEqual(attemptsAt(1.1)[index] ?? 0);
    });
    expect(new Set(world.sent.map(({ body }) => body))).toEqual(new Set([bodyOf('dlv_1')]));
    expect(new Set(world.ids())).toEqual(new Set(['dlv_1']));
    const timestamps = world.sent.map(({ headers }) => Number(headers?.['webhook-timestamp']));
    expect(timestamps).toEqual(world.sent.map(({ atMs }) => Math.floor((began + atMs) / 1000)));
    expect(new Set(world.sent.map(({ headers }) => headers?.['webhook-signature'])).size).toBe(6);
    expect(new Set(world.sent.map(({ headers }) => headers?.['x-service-signature'])).size).toBe(1);
    const row = await world.row('dlv_1');
    expect(row).toMatchObject({ status: 'failed', attempt: 6, next_attempt_at: null, status_code: 500 });
    expect(JSON.parse(row.history)).toHaveLength(6);
  });

  const refusals: [string, Said, object][] = [
    ['a redirect', 302, { status_code: 302, error: 'The receiver answered 302' }],
    ['not found', 404, { status_code: 404 }],
    ['no time left', new OutboundError('timeout', 'x did not answer in time'), { status_code: null }],
    ['a reset', new OutboundError('network', 'x closed'), { error: 'x closed' }],
    ['too long an answer', new OutboundError('too_long', 'long'), { error: 'long' }],
    ['a refused address', new OutboundError('refused', 'private'), { error: 'private' }],
  ];
  it.each(refusals)('a delivery fails when the answer is %s, and succeeds later', async (_, answer, seen) => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    let isWell = false;
    const world = deliveryWorld(storage.database, { answer: () => (isWell ? 204 : answer) });
    await world.add('dlv_1');
    await world.timer.advance(0);
    expect(await world.row('dlv_1')).toMatchObject({
      status: 'pending',
      attempt: 1,
      next_attempt_at: new Date(began + 30_000).toISOString(),
      ended_at: null,
      ...seen,
    });
    isWell = true;
    await world.timer.advance(30_000);
    expect(await world.row('dlv_1')).toMatchObject({ status: 'delivered', attempt: 2, error: null });
    expect(await world.webhook()).toMatchObject({ delivery_count: 1, failure_count: 1 });
  });

  it.each([
    [503, '120', 120],
    [429, '1', 30],
    [429, '86400', 300],
    [500, '120', 30],
  ])('a delivery waits after %i with Retry-After %s for %i s', async (status, value, expected) => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const answer = () => ({ status, headers: { 'retry-after': value } });
    const first = deliveryWorld(storage.database, { answer });
    await first.add('dlv_1');
    await first.timer.advance(0);
    await first.deliverer.stop();
    // The next process waits as long.
    const { deliverer, timer, seconds } = deliveryWorld(storage.database, { timer: first.timer });
    deliverer.start();
    await timer.advance(expected * 1000 - 1);
    expect(seconds()).toEqual([]);
    await timer.advance(1);
    expect(seconds()).toEqual([expected]);
  });

  it('stores the last twelve attempts, and continues after a manual one', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500 });
    await world.add('dlv_1');
    for (let time = 0; time < 3; time++) {
      await world.timer.advance(24 * HOUR);
      const at = world.timer.now().toISOString();
      await storage.database.write((transaction) => world.store.requeue(transaction, 'dlv_1', at));
      await world.change({ status: 'active' });
      await world.deliverer.sendNow('dlv_1');
    }
    const row = await world.row('dlv_1');
    expect(row).toMatchObject({ status: 'pending', attempt: 1, ended_at: null });
    const history = JSON.parse(row.history) as { at: string }[];
    expect(history).toHaveLength(12);
    expect(history.at(-1)?.at).toBe(row.at);
    expect(world.sent).toHaveLength(19);
  });
});

describe('the deliveries of a webhook', () => {
  it('of several tasks come at the same time, those of one task in the order of the events', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const underway = new Map<string, number>();
    const taskOf = (id: string) => id.slice(0, id.indexOf('.'));
    let most = 0;
    const held: (() => void)[] = [];
    const world = deliveryWorld(storage.database, {
      answer: async (id) => {
        const task = taskOf(id);
        underway.set(task, (underway.get(task) ?? 0) + 1);
        expect(underway.get(task)).toBe(1);
        most = Math.max(
          most,
          [...underway.values()].reduce((sum, n) => sum + n),
        );
        await new Promise<void>((resolve) => held.push(resolve));
        underway.set(task, 0);
        return 200;
      },
    });
    const ids = Array.from({ length: 60 }, (_, n) => `dlv_${n % 20}.${Math.floor(n / 20)}`);
    for (const id of ids) await world.add(id, { task_id: taskOf(id) });
    do {
      for (const answer of held.splice(0)) answer();
      await world.timer.advance(1);
    } while (held.length > 0);
    expect(world.sent).toHaveLength(60);
    expect(most).toBe(8);
    for (const [task, own] of Map.groupBy(world.ids(), taskOf))
      expect(own).toEqual([0, 1, 2].map((n) => `${task}.${n}`));
  });

  it('sends deliveries of a webhook one at a time in the order of events, except after a failure', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    let isWell = false;
    let underway = 0;
    const world = deliveryWorld(storage.database, {
      answer: async (id) => {
        expect(++underway).toBe(1);
        await new Promise(setImmediate);
        underway--;
        return id === 'dlv_02' && !isWell ? 500 : 200;
      },
    });
    const ids = Array.from({ length: 20 }, (_, index) => `dlv_${String(index).padStart(2, '0')}`);
    await world.add(ids);
    await world.timer.advance(100);
    await until(async () => expect((await world.row('dlv_19')).status).toBe('delivered'));
    expect(world.ids()).toEqual(ids);
    isWell = true;
    await world.timer.advance(30_000);
    expect(world.ids()).toEqual([...ids, 'dlv_02']);
  });

  it('the next process continues deliveries with the same time, id and bytes', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    await addWebhook(storage.database, 'wh_2', { status: 'paused' });
    const timer = manualTimer(began);
    // Where two deliveries use up their attempts at once, the end of one may hold the other.
    const answer = (id: string) => (id === 'dlv_2' ? 200 : 503);
    const first = deliveryWorld(storage.database, { timer, answer });
    await first.add('dlv_1');
    await first.add('dlv_p', { webhook_id: 'wh_2' });
    await timer.advance(0);
    await first.deliverer.stop();
    // Stored, and the process died before anybody was told.
    await storage.database.write(async (transaction) =>
      first.store.insert(transaction, {
        id: 'dlv_2',
        webhook_id: 'wh_1',
        event: 'task.failed',
        task_id: null,
        body: bodyOf('dlv_2'),
        at: timer.now().toISOString(),
      }),
    );
    const sent = [...first.sent];
    for (const [process, delay] of schedule.entries()) {
      const next = deliveryWorld(storage.database, { timer, answer });
      next.deliverer.start();
      await timer.advance(delay * 1000 - 1);
      expect(next.ids()).toEqual(process === 0 ? ['dlv_2'] : []);
      await timer.advance(1);
      await next.deliverer.stop();
      sent.push(...next.sent);
    }
    expect(sent.filter(({ id }) => id === 'dlv_p')).toEqual([]);
    const own = sent.filter(({ id }) => id === 'dlv_1');
    const times = own.map(({ atMs }) => atMs / 1000);
    const bodies = own.map(({ body }) => body);
    expect(times).toEqual(attemptsAt(1));
    expect(new Set(bodies)).toEqual(new Set([bodyOf('dlv_1')]));
    expect(await first.row('dlv_1')).toMatchObject({ status: 'failed', attempt: 6 });
  });

  it('a changed clock neither loses deliveries nor sends a burst', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const timer = manualTimer(began);
    const answer = () => 503;
    const first = deliveryWorld(storage.database, { timer, answer });
    await first.add(['dlv_1', 'dlv_2', 'dlv_3']);
    await timer.advance(0);
    timer.setBy(-48 * HOUR);
    await timer.advance(90_000);
    expect(first.ids()).toEqual(['dlv_1', 'dlv_2', 'dlv_3', 'dlv_1', 'dlv_2', 'dlv_3']);
    await first.deliverer.stop();
    timer.setBy(-48 * HOUR);
    const second = deliveryWorld(storage.database, { timer, answer });
    second.deliverer.start();
    await timer.advance(300_000);
    await until(() => expect(second.ids()).toEqual(['dlv_1', 'dlv_2', 'dlv_3']));
    timer.setBy(96 * HOUR);
    await timer.advance(60_000);
    expect(second.ids()).toHaveLength(6);
    await timer.advance(600_000);
    expect(second.ids()).toHaveLength(6);
    await second.deliverer.stop();
  });

  it('sends no delivery twice while the disk is full, and no further ones meanwhile', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const full = { isFull: false };
    const write = storage.database.write.bind(storage.database);
    storage.database.write = (work) =>
      full.isFull ? Promise.reject(new AppError('storage_full', 'The disk is full')) : write(work);
    const world = deliveryWorld(storage.database, {
      answer: () => {
        full.isFull = true;
        return 200;
      },
    });
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(60_000);
    expect(world.ids()).toEqual(['dlv_1']);
    expect(await world.row('dlv_1')).toMatchObject({ status: 'pending', attempt: 0 });
    full.isFull = false;
    await until(async () => expect((await world.row('dlv_1')).status).toBe('delivered'));
    await until(() => expect(world.ids()).toEqual(['dlv_1', 'dlv_2']));
  });

  it('deliveries are removed with their webhook', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500 });
    await world.add('dlv_1');
    await world.timer.advance(0);
    const { database } = storage;
    await database.write(async (transaction) => {
      await transaction.db.deleteFrom('webhooks').execute();
      await world.store.removeOf(transaction, 'wh_1');
    });
    // Stored by a task in the same moment.
    await world.add('dlv_2');
    await world.timer.advance(24 * HOUR);
    expect(world.ids()).toEqual(['dlv_1']);
  });

  it('all deliveries wait in order when one could not be attempted', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database);
    const find = world.store.findToSend.bind(world.store);
    let isBusy = true;
    world.store.findToSend = (id) =>
      isBusy && id === 'dlv_1' ? Promise.reject(new AppError('unavailable', 'busy')) : find(id);
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(HOUR);
    expect(world.sent).toEqual([]);
    isBusy = false;
    await world.deliverer.resume('wh_1');
    await until(async () => {
      await world.timer.advance(1);
      expect(world.ids()).toEqual(['dlv_1', 'dlv_2']);
    });
  });

  it('deliveries wait while a secret is unreadable, and a manual attempt reports it', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database, 'wh_1', { secret: 'sealed:v1:no' });
    const world = deliveryWorld(storage.database);
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(HOUR);
    expect(world.sent).toEqual([]);
    await expect(world.deliverer.sendNow('dlv_1')).rejects.toThrow('secret cannot be read');
    await world.change({ secret: keys.box.seal(secret, 'webhooks:wh_1') });
    await world.deliverer.resume('wh_1');
    await world.timer.advance(1);
    await until(() => expect(world.ids()).toEqual(['dlv_1', 'dlv_2']));
  });
});
