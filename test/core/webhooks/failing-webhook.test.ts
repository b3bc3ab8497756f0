import { describe, expect, it } from 'vitest';
import { openStorage } from '../../helpers/storage.ts';
import { until } from '../../helpers/tasks.ts';
import { addWebhook, began, deliveryWorld, type DeliveryWorld, type Said } from './delivery-world.ts';

const HOUR = 3_600_000;
/** From the first attempt to the last one that the schedule has. */
const SCHEDULE_MS = 52_530_000;

/** Makes the webhook active again, as its service does. */
async function reactivate(world: DeliveryWorld) {
  await world.change({ status: 'active', failing_since: null });
  await world.deliverer.resume('wh_1');
}

describe('a webhook', () => {
  it('a webhook is failing after the fifth failed retry and not before, and its owner is notified once', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500 });
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(SCHEDULE_MS - 1);
    expect(await world.webhook()).toMatchObject({ status: 'active', failure_count: 10 });
    expect(await world.notified()).toEqual([]);
    await world.timer.advance(1);
    const at = new Date(began + SCHEDULE_MS).toISOString();
    expect(await world.webhook()).toMatchObject({
      status: 'failing',
      failing_since: at,
      failure_count: 11,
      delivery_count: 0,
      last_delivery_at: null,
    });
    expect(world.failing).toEqual(['wh_1']);
    expect(await world.row('dlv_1')).toMatchObject({ status: 'failed', attempt: 6, ended_at: at });
    // It would have been sent for the last time in the same moment.
    expect(await world.row('dlv_2')).toMatchObject({ status: 'pending', attempt: 5 });
    const [notification, ...others] = await world.notified();
    expect(others).toEqual([]);
    expect(notification).toMatchObject({ owner_id: 'user_1', title: 'Webhook to wh-1.example is failing' });
    expect(notification?.message).toContain('The receiver answered 500');
    expect(JSON.parse(notification?.data ?? '')).toEqual({ webhookId: 'wh_1' });
  });

  it('sends nothing to a failing webhook, even in the next process', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500 });
    await world.add('dlv_1');
    await world.timer.advance(SCHEDULE_MS);
    await world.add(['dlv_2', 'dlv_3']);
    await world.timer.advance(24 * HOUR);
    expect(world.sent).toHaveLength(6);
    expect(world.timer.waits()).toBeUndefined();
    await world.deliverer.stop();
    const next = deliveryWorld(storage.database, { timer: world.timer });
    next.deliverer.start();
    await next.add('dlv_4');
    await next.timer.advance(24 * HOUR);
    expect(next.sent).toEqual([]);
    expect(await next.row('dlv_2')).toMatchObject({ status: 'pending', attempt: 0 });
    await next.deliverer.stop();
  });

  it('a re-enabled webhook gets all waiting deliveries in order, however many', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    let isWell = false;
    const world = deliveryWorld(storage.database, { answer: () => (isWell ? 200 : 500) });
    const name = (index: number) => `dlv_${String(index).padStart(4, '0')}`;
    await world.add(name(0));
    await world.timer.advance(HOUR);
    // Some of these have failed a few times already, and are due at various times.
    for (let index = 1; index <= 5; index++) {
      await world.add(name(index));
      await world.timer.advance(10 * 60_000 * index);
    }
    await world.timer.advance(SCHEDULE_MS - world.timer.now().getTime() + began);
    expect((await world.webhook()).status).toBe('failing');
    const later = Array.from({ length: 1200 }, (_, index) => name(index + 6));
    await world.add(later.slice(0, 600));
    await world.timer.advance(1000);
    await world.add(later.slice(600));
    await world.timer.advance(1000);
    const before = world.sent.length;
    isWell = true;
    await reactivate(world);
    await until(async () => {
      await world.timer.advance(1);
      expect((await world.row(later.at(-1) ?? '')).status).toBe('delivered');
    });
    const expected = [...Array.from({ length: 5 }, (_, index) => name(index + 1)), ...later];
    expect(world.ids().slice(before)).toEqual(expected);
    expect(await world.row(name(0))).toMatchObject({ status: 'failed', attempt: 6 });
    expect(await world.webhook()).toMatchObject({ status: 'active', delivery_count: 1205 });
  });

  it('a re-enabled webhook has all attempts again, and its owner is notified again', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 500 });
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(SCHEDULE_MS);
    await reactivate(world);
    await world.timer.advance(SCHEDULE_MS - 1);
    expect((await world.webhook()).status).toBe('active');
    await world.timer.advance(1);
    expect((await world.webhook()).status).toBe('failing');
    expect(await world.notified()).toHaveLength(2);
    expect(await world.row('dlv_2')).toMatchObject({ status: 'failed', attempt: 6 });
  });

  it('a webhook is failing at once when the receiver answers 410', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 410 });
    await world.add(['dlv_1', 'dlv_2']);
    await world.timer.advance(24 * HOUR);
    expect(world.ids()).toEqual(['dlv_1']);
    expect((await world.webhook()).status).toBe('failing');
    expect(await world.row('dlv_1')).toMatchObject({ status: 'failed', attempt: 1 });
    expect(await world.row('dlv_2')).toMatchObject({ status: 'pending', attempt: 0 });
  });

  it('a paused webhook gets no deliveries, and does not become failing', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database, 'wh_1', { status: 'paused' });
    const world = deliveryWorld(storage.database, { answer: () => 410 });
    await world.add('dlv_1');
    await world.timer.advance(24 * HOUR);
    expect(world.sent).toEqual([]);
    await world.deliverer.sendNow('dlv_1');
    expect(await world.row('dlv_1')).toMatchObject({ status: 'failed', status_code: 410 });
    expect((await world.webhook()).status).toBe('paused');
    expect(await world.notified()).toEqual([]);
  });
});

describe('a manual attempt', () => {
  it.each(['failing', 'paused'])(
    'makes a manual attempt for a webhook that is %s, without changing its status',
    async (status) => {
      await using storage = await openStorage();
      await addWebhook(storage.database, 'wh_1', { status });
      let said: Said = 500;
      const world = deliveryWorld(storage.database, { answer: () => said });
      await world.add('dlv_1');
      await world.timer.advance(0);
      await world.deliverer.sendNow('dlv_1');
      expect(await world.row('dlv_1')).toMatchObject({ status: 'pending', attempt: 1, status_code: 500 });
      await world.timer.advance(24 * HOUR);
      expect(world.sent).toHaveLength(1);
      said = 200;
      await world.deliverer.sendNow('dlv_1');
      expect(await world.row('dlv_1')).toMatchObject({ status: 'delivered', attempt: 2 });
      expect((await world.webhook()).status).toBe(status);
    },
  );

  it('a manual attempt sends a delivered delivery again, with the same bytes and id', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database);
    await world.add('dlv_1');
    await world.timer.advance(0);
    await world.deliverer.sendNow('dlv_1');
    expect(world.sent).toHaveLength(1);
    const at = world.timer.now().toISOString();
    await storage.database.write((transaction) => world.store.requeue(transaction, 'dlv_1', at));
    await world.deliverer.sendNow('dlv_1');
    expect(world.ids()).toEqual(['dlv_1', 'dlv_1']);
    expect(world.sent[0]?.body).toBe(world.sent[1]?.body);
    const row = await world.row('dlv_1');
    expect(row).toMatchObject({ status: 'delivered', attempt: 1 });
    expect(JSON.parse(row.history)).toHaveLength(2);
  });

  it('a test makes only one attempt, and never makes a webhook failing', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database, { answer: () => 410 });
    await world.add('dlv_1', { event: 'webhook.test' });
    await world.deliverer.sendNow('dlv_1');
    await world.timer.advance(24 * HOUR);
    expect(world.sent).toHaveLength(1);
    expect(world.sent[0]?.headers).toMatchObject({ 'x-service-event': 'webhook.test' });
    expect(await world.row('dlv_1')).toMatchObject({ status: 'failed', attempt: 1, next_attempt_at: null });
    expect((await world.webhook()).status).toBe('active');
    expect(await world.notified()).toEqual([]);
  });

  it('refuses a manual attempt while svc stops', async () => {
    await using storage = await openStorage();
    await addWebhook(storage.database);
    const world = deliveryWorld(storage.database);
    await world.deliverer.stop();
    await world.add('dlv_1');
    await expect(world.deliverer.sendNow('dlv_1')).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.sent).toEqual([]);
  });
});
