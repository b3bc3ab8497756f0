import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/core/storage/database.ts';
import type { WebhookDeliveryRow } from '../../../src/core/storage/rows/webhooks.ts';
import { WebhookDeliveryRetention } from '../../../src/core/webhooks/webhook-delivery-retention.ts';
import { WebhookDeliveryStore } from '../../../src/core/webhooks/webhook-delivery-store.ts';
import { canRace, openRace, overlap } from '../../helpers/race.ts';
import { openStorage } from '../../helpers/storage.ts';
import { addWebhook } from './delivery-world.ts';

const at = '2026-01-01T00:00:00.000Z';
const now = new Date('2026-02-01T00:00:00.000Z');

const add = (database: Database, rows: Partial<WebhookDeliveryRow>[]) =>
  database.write(async (transaction) => {
    for (const row of rows)
      transaction.insertLater('webhook_deliveries', {
        webhook_id: 'wh_1',
        event: 'task.created',
        status: 'delivered',
        body: '{}',
        at,
        created_at: at,
        next_attempt_at: null,
        ended_at: null,
        ...row,
      });
  });
const idsIn = async (database: Database) =>
  (await database.read.selectFrom('webhook_deliveries').select('id').orderBy('id').execute()).map(
    ({ id }) => id,
  );

/** Finished deliveries stay for 30 days. */
const config = { get: () => 30 as never };

describe('WebhookDeliveryStore', () => {
  it('inserts a delivery that is due at once, with all its attempts left', async () => {
    await using storage = await openStorage();
    const store = new WebhookDeliveryStore(storage.database);
    const delivery = { id: 'dlv_1', webhook_id: 'wh_1', event: 'task.failed', task_id: 't', at } as const;
    await storage.database.write(async (transaction) =>
      store.insert(transaction, { ...delivery, body: '{}' }),
    );
    expect(await store.find('dlv_1')).toEqual({
      ...delivery,
      approval_id: null,
      status: 'pending',
      attempt: 0,
      history: '[]',
      status_code: null,
      response_body: null,
      error: null,
      duration_ms: null,
      next_attempt_at: at,
      created_at: at,
      ended_at: null,
    });
  });

  it('lists the deliveries of a webhook newest first, also by status', async () => {
    await using storage = await openStorage();
    const store = new WebhookDeliveryStore(storage.database);
    await add(storage.database, [
      { id: 'dlv_1' },
      { id: 'dlv_2', status: 'failed' },
      { id: 'dlv_3' },
      { id: 'dlv_4', webhook_id: 'wh_2' },
    ]);
    const list = async (...of: Parameters<typeof store.list>) =>
      (await store.list(...of)).rows.map(({ id }) => id);
    expect(await list('wh_1', { limit: 10, offset: 0 })).toEqual(['dlv_3', 'dlv_2', 'dlv_1']);
    expect(await list('wh_1', { limit: 2, offset: 0 })).toEqual(['dlv_3', 'dlv_2']);
    expect(await list('wh_1', { limit: 2, offset: 2 })).toEqual(['dlv_1']);
    expect(await list('wh_1', { limit: 10, offset: 0, status: 'delivered' })).toEqual(['dlv_3', 'dlv_1']);
    expect(await store.list('wh_1', { limit: 1, offset: 0 })).toMatchObject({ total: 3 });
  });

  it('removes the deliveries of a webhook and no others', async () => {
    await using storage = await openStorage();
    const store = new WebhookDeliveryStore(storage.database);
    await add(storage.database, [{ id: 'dlv_1' }, { id: 'dlv_2', webhook_id: 'wh_2' }]);
    await storage.database.write((transaction) => store.removeOf(transaction, 'wh_1'));
    expect(await idsIn(storage.database)).toEqual(['dlv_2']);
  });
});

describe('the retention of deliveries', () => {
  it('keeps no deliveries of a removed webhook, however many there were', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    const store = new WebhookDeliveryStore(database);
    await addWebhook(database);
    await add(
      database,
      Array.from({ length: 5000 }, (_, index) => ({
        id: `dlv_${index}`,
        webhook_id: 'wh_gone',
        status: 'pending',
      })),
    );
    await add(database, [{ id: 'other' }]);
    await database.write((transaction) => store.removeOf(transaction, 'wh_gone'));
    expect(await idsIn(database)).toHaveLength(3001);
    await new WebhookDeliveryRetention(database, config).removeOld(now);
    expect(await idsIn(database)).toEqual(['other']);
  });

  it('keeps deliveries that finished in the last 30 days, and those that wait for an active webhook', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    await addWebhook(database);
    await addWebhook(database, 'wh_off', { status: 'failing' });
    await add(database, [
      { id: 'old', ended_at: '2026-01-01T23:59:59.999Z' },
      { id: 'recent', ended_at: '2026-01-02T00:00:00.000Z' },
      { id: 'waits', status: 'pending', next_attempt_at: at },
      { id: 'unwanted', webhook_id: 'wh_off', status: 'pending', next_attempt_at: at },
      { id: 'waits for it', webhook_id: 'wh_off', status: 'pending', next_attempt_at: now.toISOString() },
    ]);
    await new WebhookDeliveryRetention(database, config).removeOld(now);
    expect(await idsIn(database)).toEqual(['recent', 'waits', 'waits for it']);
  });

  it('keeps the last 1,000 finished deliveries of each webhook, and writes nothing otherwise', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    const retention = new WebhookDeliveryRetention(database, config);
    const webhooks = Array.from({ length: 60 }, (_, index) => `wh_${String(index).padStart(2, '0')}`);
    for (const id of webhooks) await addWebhook(database, id);
    const ended = (count: number, webhook_id: string) =>
      Array.from({ length: count }, (_, index) => ({
        // The ids say nothing of when they ended.
        id: `${webhook_id}_${String(count - index).padStart(4, '0')}`,
        webhook_id,
        ended_at: new Date(now.getTime() - 10_000_000 + index).toISOString(),
      }));
    await add(database, [...ended(2300, 'wh_00'), ...ended(1000, 'wh_01'), ...ended(1001, 'wh_59')]);
    const count = async (id: string) => (await idsIn(database)).filter((each) => each.startsWith(id)).length;
    await retention.removeOld(now);
    expect([await count('wh_00'), await count('wh_01')]).toEqual([1000, 1000]);
    expect(await idsIn(database)).not.toContain('wh_00_2300');
    expect(await idsIn(database)).toContain('wh_00_0001');
    await retention.removeOld(now);
    expect(await count('wh_59')).toBe(1000);
    const commits = database.commits();
    await retention.removeOld(now);
    await retention.removeOld(now);
    expect(database.commits()).toBe(commits);
  });
});

describe.skipIf(!canRace)('a delivery that was made on another daemon meanwhile (needs PostgreSQL)', () => {
  it('keeps its attempts when the webhook is renewed', async () => {
    await using race = await openRace();
    await addWebhook(race.one.database);
    await add(race.one.database, [{ id: 'dlv_1', status: 'pending', attempt: 2 }]);
    await overlap(
      race,
      ({ database }) =>
        database.write(({ db }) =>
          db
            .updateTable('webhook_deliveries')
            .set({ status: 'delivered', attempt: 3 })
            .where('id', '=', 'dlv_1')
            .execute(),
        ),
      ({ database }) =>
        database.write((transaction) =>
          new WebhookDeliveryStore(database).renew(transaction, 'wh_1', '', 10),
        ),
    );
    const row = await new WebhookDeliveryStore(race.one.database).find('dlv_1');
    expect(row).toMatchObject({ status: 'delivered', attempt: 3 });
  });
});
