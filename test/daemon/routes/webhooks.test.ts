import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/contract/client.ts';
import { createTaskSchema } from '../../../src/contract/task.ts';
import {
  createWebhookSchema,
  type UpdateWebhook,
  type WebhookEvent,
} from '../../../src/contract/webhooks.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { testAdapter } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';
import { toldTo } from '../../helpers/webhooks.ts';

let receiver: LoopbackServer;
let answer = 204;
let daemon: TestDaemon;
let client: Client;
let ann: TestUser;

beforeAll(async () => {
  receiver = await startLoopbackServer((response) => response.writeHead(answer).end('heard'));
  daemon = await startDaemon({
    extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
    flags: { 'outbound.allowPrivate': ['127.0.0.1/32'] },
  });
  ({ client } = daemon);
  ann = await addUser(daemon, 'ann');
});
beforeEach(() => {
  answer = 204;
  receiver.requests.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const create = async (body: { secret?: string; events?: WebhookEvent[]; description?: string } = {}) =>
  (await client.webhooks.create({ body: { url: `${receiver.url}/hook`, events: ['task.failed'], ...body } }))
    .webhook;
const never = (): never => {
  throw new Error('There is no such thing');
};
const of = ({ id }: { id: string }) => ({ params: { id } });
const setStatus = (id: string, status: string) =>
  daemon.app.database.write(({ db }) =>
    db
      .updateTable('webhooks')
      .set({ status, failing_since: '2026-01-01T00:00:00.000Z' })
      .where('id', '=', id)
      .execute(),
  );
const rowOf = (id: string) =>
  daemon.app.database.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
const storedSecret = async (id: string, column: 'secret' | 'previous_secret' = 'secret') =>
  daemon.app.database.read
    .selectFrom('webhooks')
    .select(column)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
    .then((row) => Object.values(row)[0] ?? '');

describe('creating a webhook', () => {
  it('generates a webhook secret, and shows it once', async () => {
    const made = await create({ description: 'Build bot' });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^wh_/),
      url: `${receiver.url}/hook`,
      events: ['task.failed'],
      active: true,
      status: 'active',
      description: 'Build bot',
      deliveryCount: 0,
      failureCount: 0,
    });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const masked = { ...made, secret: `…${made.secret.slice(-4)}` };
    expect((await client.webhooks.get(of(made))).webhook).toEqual(masked);
    expect((await client.webhooks.list()).webhooks).toContainEqual(masked);
    expect(await storedSecret(made.id)).toMatch(/^sealed:v1:/);
  });

  it('accepts a webhook secret, and shows only its last characters', async () => {
    const secret = 'a-secret-of-the-receiver';
    expect((await create({ secret })).secret).toBe('…iver');
    expect((await create({ secret: 'short' })).secret).toBe('••••');
  });

  it.each([
    ['http://10.0.0.1/hook', /outbound\.allowPrivate/],
    ['http://127.0.0.2/hook', /outbound\.allowPrivate/],
    ['http://[::1]/hook', /outbound\.allowPrivate/],
    ['http://169.254.169.254/', /outbound\.allowPrivate/],
    ['https://user:secret@example.org/', /user name or password/],
    ['ftp://example.org/', /./],
    ['nothing', /./],
  ])('rejects %s for a webhook, also in a change', async (url, message) => {
    const made = await create();
    const refusal = {
      status: 400,
      body: {
        error: 'Validation failed',
        details: [{ path: 'url', message: expect.stringMatching(message) }],
      },
    };
    const body = { url, events: ['task.failed'] };
    expect(await send(daemon, 'POST', '/api/webhooks', body, daemon.headers)).toMatchObject(refusal);
    expect(await send(daemon, 'PATCH', `/api/webhooks/${made.id}`, { url }, daemon.headers)).toMatchObject(
      refusal,
    );
    expect((await client.webhooks.get(of(made))).webhook.url).toBe(made.url);
  });

  it('limits a user to a hundred webhooks', async () => {
    const bob = await addUser(daemon, 'bob');
    const input = createWebhookSchema.parse({ url: 'https://receiver.invalid/', events: ['task.failed'] });
    for (let count = 0; count < 100; count++) await daemon.app.webhooks.create(bob.caller, input);
    await expect(bob.client.webhooks.create({ body: input })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Limit reached: 100 webhooks per user/),
    });
    expect((await bob.client.webhooks.list()).webhooks).toHaveLength(100);
    await ann.client.webhooks.create({ body: input });
  });

  it('audits a new webhook without its secrets', async () => {
    const secret = 'planted-in-a-webhook';
    const { id } = (
      await client.webhooks.create({
        body: { url: 'https://receiver.invalid/planted-path?planted=1', events: ['task.failed'], secret },
      })
    ).webhook;
    await client.webhooks.update({ params: { id }, body: { active: false } });
    await client.webhooks.rotateSecret({ params: { id }, body: { secret: `${secret}-2` } });
    await client.webhooks.delete({ params: { id } });
    const rows = await daemon.app.database.read.selectFrom('audit_log').selectAll().orderBy('seq').execute();
    const own = rows.filter((row) => row.arguments.includes(id));
    expect(own.map(({ tool, user_id }) => [tool, user_id])).toEqual(
      ['created', 'changed', 'secret_rotated', 'removed'].map((what) => [`webhooks.${what}`, 'user_owner']),
    );
    expect(JSON.parse(own[1]?.arguments ?? '')).toEqual({
      webhookId: id,
      receiver: 'https://receiver.invalid',
      events: ['task.failed'],
      format: 'json',
      hasToken: false,
      status: 'paused',
      seesAll: true,
    });
    expect(JSON.stringify(own)).not.toContain('planted');
  });
});

describe('changing a webhook', () => {
  it('a changed webhook receives the next event as changed', async () => {
    const made = await create({ events: ['task.created'] });
    const createTask = async () =>
      (await client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } })).task.id;
    const told = async () => (await toldTo(daemon, made.id)).map(([event]) => event);
    await createTask();
    expect(await told()).toEqual(['task.created']);
    const events = ['task.cancelled' as const];
    expect(await client.webhooks.update({ ...of(made), body: { events, description: 'x' } })).toMatchObject({
      webhook: { events, description: 'x' },
    });
    const id = await createTask();
    await client.tasks.cancel({ params: { id } });
    expect(await told()).toEqual(['task.created', 'task.cancelled']);
    const { webhook } = await client.webhooks.update({ ...of(made), body: { description: null } });
    expect(webhook).not.toHaveProperty('description');
    expect(webhook.secret).toBe(`…${made.secret.slice(-4)}`);
  });

  it('keeps the token of a webhook sealed, and only for the receiver that it was given for', async () => {
    const body = {
      url: `${receiver.url}/topic`,
      events: ['task.failed' as const],
      token: 'tk_of_a_topic_0001',
    };
    const { webhook: made } = await client.webhooks.create({ body });
    expect(made).toMatchObject({ format: 'json', token: '…0001' });
    expect((await rowOf(made.id))?.token).toMatch(/^sealed:v1:/);
    const update = async (change: UpdateWebhook) =>
      (await client.webhooks.update({ ...of(made), body: change })).webhook;
    const sentToken = async () => {
      await client.webhooks.sendTest(of(made));
      return receiver.requests.at(-1)?.headers.authorization;
    };
    expect(await sentToken()).toBe('Bearer tk_of_a_topic_0001');
    expect(await update({ url: `${receiver.url}/other`, format: 'text' })).toMatchObject({
      format: 'text',
      token: '…0001',
    });
    const elsewhere = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await update({ url: `${elsewhere}/topic` })).not.toHaveProperty('token');
    expect(await update({ url: receiver.url, token: 'tk_of_a_topic_0002' })).toMatchObject({
      token: '…0002',
    });
    expect(await sentToken()).toBe('Bearer tk_of_a_topic_0002');
    expect(await update({ token: null })).not.toHaveProperty('token');
    expect(await sentToken()).toBeUndefined();
    for (const token of ['', 'two words', 'line\nbreak', 'ä'])
      await expect(update({ token })).rejects.toMatchObject({ status: 400 });
  });

  it('a paused webhook stores no deliveries, and can be resumed', async () => {
    const made = await create({ events: ['task.created'] });
    const createTask = () => client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
    const { webhook } = await client.webhooks.update({ ...of(made), body: { active: false } });
    expect(webhook).toMatchObject({ active: false, status: 'paused' });
    await createTask();
    expect(await toldTo(daemon, made.id)).toEqual([]);
    const again = await client.webhooks.update({ ...of(made), body: { active: true } });
    expect(again.webhook).toMatchObject({ active: true, status: 'active' });
    await createTask();
    expect(await toldTo(daemon, made.id)).toHaveLength(1);
  });

  it('re-enables a failing webhook', async () => {
    const made = await create();
    await setStatus(made.id, 'failing');
    expect((await client.webhooks.get(of(made))).webhook).toMatchObject({
      active: false,
      status: 'failing',
      failingSince: '2026-01-01T00:00:00.000Z',
    });
    const { webhook } = await client.webhooks.update({ ...of(made), body: { active: true } });
    expect(webhook).toMatchObject({ active: true, status: 'active' });
    expect(webhook).not.toHaveProperty('failingSince');
  });

  it('removes a webhook with its deliveries', async () => {
    const made = await create({ events: ['task.created'] });
    await client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
    expect((await client.webhooks.listDeliveries(of(made))).deliveries).toHaveLength(1);
    expect(await client.webhooks.delete(of(made))).toEqual({ message: 'Webhook deleted' });
    await client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
    expect(await toldTo(daemon, made.id)).toEqual([]);
    await expect(client.webhooks.get(of(made))).rejects.toMatchObject({ status: 404 });
    await expect(client.webhooks.delete(of(made))).rejects.toMatchObject({ status: 404 });
  });

  it('a removed webhook leaves no deliveries of simultaneous tasks', async () => {
    const made = await create({ events: ['task.created'] });
    const task = createTaskSchema.parse({ title: 'Report', assignedAgent: 'nobody' });
    const { tasks, webhooks } = daemon.app;
    const add = () => tasks.create(owner, task);
    await Promise.all([add(), webhooks.remove(owner, made.id), add(), add()]);
    expect(await toldTo(daemon, made.id)).toEqual([]);
  });
});

describe('rotating a webhook secret', () => {
  it('rotates a webhook secret, and the previous one is valid for a day', async () => {
    const made = await create();
    const before = await storedSecret(made.id);
    const { webhook } = await client.webhooks.rotateSecret({ ...of(made), body: {} });
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook.secret).not.toBe(made.secret);
    const hours = (Date.parse(webhook.previousSecretUntil ?? '') - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect(await storedSecret(made.id, 'previous_secret')).toBe(before);
    expect((await client.webhooks.get(of(made))).webhook.secret).toBe(`…${webhook.secret.slice(-4)}`);
  });

  it('accepts a new webhook secret, and the previous one may expire at once', async () => {
    const made = await create();
    const body = { secret: 'another-one-of-mine', keepHours: 0 };
    const { webhook } = await client.webhooks.rotateSecret({ ...of(made), body });
    expect(webhook.secret).toBe('…mine');
    expect(webhook).not.toHaveProperty('previousSecretUntil');
    expect(await rowOf(made.id)).toMatchObject({ previous_secret: null, previous_until: null });
  });
});

describe('a test delivery', () => {
  it.each(['active', 'failing', 'paused'])(
    'sends a signed test delivery at once to a webhook that is %s',
    async (status) => {
      const made = await create();
      await setStatus(made.id, status);
      const { delivery } = await client.webhooks.sendTest(of(made));
      expect(delivery).toMatchObject({
        webhookId: made.id,
        event: 'webhook.test',
        status: 'delivered',
        attempt: 1,
        statusCode: 204,
        attempts: [{ statusCode: 204 }],
      });
      expect(receiver.requests).toHaveLength(1);
      const [request] = receiver.requests;
      const { body, headers } = request ?? never();
      expect(request?.path).toBe('/hook');
      expect(new Webhook(made.secret).verify(body, headers as Record<string, string>)).toEqual({
        id: delivery.id,
        event: 'webhook.test',
        timestamp: expect.any(String),
        payload: { message: expect.any(String) },
      });
      const hmac = createHmac('sha256', made.secret).update(body).digest('hex');
      expect(headers['x-service-signature']).toBe(`sha256=${hmac}`);
      expect((await client.webhooks.get(of(made))).webhook.status).toBe(status);
    },
  );

  it('does not retry a failed test delivery or count it as a failure of the webhook', async () => {
    answer = 500;
    const made = await create();
    for (let count = 0; count < 6; count++) {
      const { delivery } = await client.webhooks.sendTest(of(made));
      expect(delivery).toMatchObject({ status: 'failed', attempt: 1, statusCode: 500 });
      expect(delivery).not.toHaveProperty('nextAttemptAt');
    }
    expect((await client.webhooks.get(of(made))).webhook.status).toBe('active');
  });
});

describe('deliveries of a webhook', () => {
  it('lists deliveries newest first, by status', async () => {
    const made = await create();
    answer = 500;
    const { delivery: failed } = await client.webhooks.sendTest(of(made));
    answer = 204;
    const { delivery: delivered } = await client.webhooks.sendTest(of(made));
    const list = async (query: object) =>
      (await client.webhooks.listDeliveries({ ...of(made), query })).deliveries.map(({ id }) => id);
    expect(await list({})).toEqual([delivered.id, failed.id]);
    expect(await list({ limit: 1 })).toEqual([delivered.id]);
    expect(await list({ status: 'failed' })).toEqual([failed.id]);
    expect(await list({ status: 'pending' })).toEqual([]);
    expect((await client.webhooks.listDeliveries(of(made))).limit).toBe(50);
  });

  it.each(['active', 'failing', 'paused'])(
    'redelivers the same body under the same id to a webhook that is %s',
    async (status) => {
      const made = await create();
      answer = 500;
      const { delivery: first } = await client.webhooks.sendTest(of(made));
      answer = 204;
      await setStatus(made.id, status);
      const params = { id: made.id, deliveryId: first.id };
      const { message, delivery } = await client.webhooks.redeliver({ params });
      expect(message).toBe('Delivery sent again');
      expect(delivery).toMatchObject({ id: first.id, status: 'delivered', attempt: 1, statusCode: 204 });
      expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 204]);
      const [before, after] = receiver.requests;
      expect(receiver.requests).toHaveLength(2);
      expect(after?.body).toBe(before?.body);
      expect(after?.headers['webhook-id']).toBe(first.id);
      expect((await client.webhooks.listDeliveries(of(made))).deliveries).toHaveLength(1);
    },
  );

  it('a delivery of another webhook is not found', async () => {
    const [made, other] = [await create(), await create()];
    const { delivery } = await client.webhooks.sendTest(of(other));
    for (const deliveryId of [delivery.id, 'dlv_nothing'])
      await expect(client.webhooks.redeliver({ params: { id: made.id, deliveryId } })).rejects.toMatchObject({
        status: 404,
        message: 'Delivery not found',
      });
    expect(receiver.requests).toHaveLength(1);
  });
});
