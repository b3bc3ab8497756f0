import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../../src/contract/task.ts';
import { AppError } from '../../../src/core/errors.ts';
import { NotifyDeliverer } from '../../../src/core/gateway/notify-deliverer.ts';
import { notifySecretOf } from '../../../src/core/secrets/notify-secret.ts';
import { NotifyStore } from '../../../src/core/gateway/notify-store.ts';
import { silentLog } from '../../../src/core/log.ts';
import { OutboundError } from '../../../src/core/outbound/outbound-error.ts';
import type { OutboundFetch, OutboundRequest } from '../../../src/core/outbound/outbound-fetch.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { TaskFinishWatcher } from '../../../src/core/tasks/task-finish-watcher.ts';
import { newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';
import { until } from '../../helpers/tasks.ts';
import { manualTimer } from '../outbound/manual-timer.ts';

const keys = new KeyRing(Buffer.alloc(32, 7));
const began = Date.parse('2026-01-01T00:00:00.000Z');
type Timer = ReturnType<typeof manualTimer>;
type Sent = { url: string; atMs: number } & OutboundRequest;

/** A deliverer whose receiver, clock and timer are the test's; `answer` is what the receiver says. */
function delivererOf(
  storage: TestStorage,
  { timer = manualTimer(began), answer = () => 200 }: { timer?: Timer; answer?: () => number | Error } = {},
) {
  const sent: Sent[] = [];
  const fetch: OutboundFetch = async (url, request) => {
    sent.push({ url, ...request, atMs: timer.now().getTime() - began });
    const said = answer();
    if (said instanceof Error) throw said;
    return { status: said, headers: new Headers(), text: '' };
  };
  const store = new NotifyStore(storage.database);
  const deliverer = new NotifyDeliverer({
    database: storage.database,
    store,
    finishWatcher: new TaskFinishWatcher(storage.bus, storage.database, silentLog),
    fetch,
    keys,
    runtime: { ...systemRuntime, now: timer.now, random: () => 0 },
    log: silentLog,
    setTimer: timer.setTimer,
  });
  const row = async (id: string) => (await store.find(id)) ?? never();
  return { deliverer, sent, timer, store, row };
}
const never = (): never => {
  throw new Error('There is no such row');
};

/** A task under way, whose notifyUrl is to be told of its end. */
async function addDelivery(
  { database, store }: TestStorage,
  deliverer: NotifyDeliverer,
  id = 'dlv_1',
  url = 'https://receiver.example/hook',
) {
  await addToken({ database });
  const task = newTask(`task_of_${id}`, { status: 'in_progress', title: 'Report' });
  await database.write(async (transaction) => {
    await store.insert(transaction, task, []);
    deliverer.add(transaction, {
      id,
      url,
      request_id: 'req_1',
      task_id: task.id,
      token_id: 'token_1',
      created_at: task.created_at,
    });
  });
  return task.id;
}

const addToken = ({ database }: Pick<TestStorage, 'database'>) =>
  database.write(async ({ db }) => {
    const at = new Date(began).toISOString();
    await db
      .insertInto('users')
      .values({ id: 'u', email: 'u', name: 'u', role: 'user', created_at: at, onboarding_completed: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db
      .insertInto('api_tokens')
      .values({
        id: 'token_1',
        owner_id: 'u',
        name: 't',
        prefix: 'svc_',
        token_hash: 'h',
        scopes: '[]',
        created_at: at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });

/** Ends the task as a worker or a person does. */
async function end({ database, store }: TestStorage, id: string, status: TaskStatus = 'completed') {
  const move = { completed: 'complete', failed: 'fail', cancelled: 'cancel' }[status as 'completed'];
  await database.write(async (transaction) => {
    const head = (await store.lockHead(transaction, id)) ?? never();
    const result = JSON.stringify({ success: true, output: 'the report', artifacts: [], duration: 12 });
    const error = JSON.stringify({ class: 'auth', code: 'x', message: 'Wrong key' });
    await store.move(
      transaction,
      head,
      move as 'complete',
      new Date(began),
      {
        completed_at: new Date(began).toISOString(),
        ...(status === 'completed' && { result }),
        ...(status === 'failed' && { error }),
      },
      [{ type: status as 'completed', message: 'Ended' }],
    );
  });
}

describe('a notification to a notifyUrl', () => {
  it('sends a notification at once when its task finishes, and only once', async () => {
    await using storage = await openStorage();
    const { deliverer, sent, timer, row } = delivererOf(storage);
    const taskId = await addDelivery(storage, deliverer);
    await timer.advance(3_600_000);
    expect(sent).toEqual([]);
    expect(await row('dlv_1')).toMatchObject({ status: 'waiting', attempts: 0, body: null });
    await end(storage, taskId);
    await timer.advance(0);
    expect(sent).toHaveLength(1);
    await timer.advance(100 * 3_600_000);
    expect(sent).toHaveLength(1);
    expect(await row('dlv_1')).toMatchObject({
      status: 'delivered',
      attempts: 1,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
    });
    expect(storage.bus.has('task')).toBe(false);
  });

  const finishedStates: [TaskStatus, object][] = [
    ['completed', { result: { output: 'the report', duration: 12 }, duration: 12 }],
    ['failed', { error: { class: 'auth', code: 'x', message: 'Wrong key' } }],
    ['cancelled', {}],
  ];
  it.each(finishedStates)(
    'notifies of a task that is %s, signed with the secret of the token',
    async (status, more) => {
      await using storage = await openStorage();
      const timer = manualTimer(Date.now());
      const { deliverer, sent } = delivererOf(storage, { timer });
      const taskId = await addDelivery(storage, deliverer);
      await end(storage, taskId, status);
      await timer.advance(0);
      const [{ url, method, headers = {}, body = '', timeoutMs, maxBytes } = never()] = sent;
      expect({ url, method, timeoutMs, maxBytes }).toEqual({
        url: 'https://receiver.example/hook',
        method: 'POST',
        timeoutMs: 10_000,
        maxBytes: 65_536,
      });
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^svc\/\d/),
        'x-service-signature': expect.stringMatching(/^sha256=[\da-f]{64}$/),
        'webhook-id': 'dlv_1',
      });
      expect(new Webhook(notifySecretOf(keys, 'token_1')).verify(body, headers)).toEqual({
        id: 'dlv_1',
        event: `task.${status}`,
        timestamp: '2026-01-01T00:00:00.000Z',
        payload: { id: taskId, title: 'Report', requestId: 'req_1', taskId, status, ...more },
      });
      expect(() => new Webhook(notifySecretOf(keys, 'token_2')).verify(body, headers)).toThrow();
    },
  );

  it('retries a notification unchanged after 30 s, 5 min, 30 min, 2 h and 12 h, and then gives up', async () => {
    await using storage = await openStorage();
    const { deliverer, sent, timer, row } = delivererOf(storage, { answer: () => 500 });
    const taskId = await addDelivery(storage, deliverer);
    await end(storage, taskId);
    await timer.advance(24 * 3_600_000);
    expect(sent.map(({ atMs }) => atMs / 1000)).toEqual([0, 30, 330, 2130, 9330, 52_530]);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers?.['webhook-id']))).toEqual(new Set(['dlv_1']));
    expect(new Set(sent.map(({ headers }) => headers?.['webhook-timestamp'])).size).toBe(6);
    expect(await row('dlv_1')).toMatchObject({
      status: 'failed',
      attempts: 6,
      last_status: 500,
      last_error: 'The receiver answered 500',
      next_attempt_at: null,
    });
    await deliverer.sweep();
    await timer.advance(24 * 3_600_000);
    expect(sent).toHaveLength(6);
  });

  const refusals: [string, number | Error, object][] = [
    ['a redirect', 302, { last_status: 302 }],
    ['not found', 404, { last_status: 404 }],
    ['no time left', new OutboundError('timeout', 'x did not answer in time'), { last_status: null }],
    ['a reset', new OutboundError('network', 'x closed'), { last_error: 'x closed' }],
    ['too long an answer', new OutboundError('too_long', 'long'), { last_error: 'long' }],
    ['a refused address', new OutboundError('refused', 'private'), { last_error: 'private' }],
  ];
  it.each(refusals)(
    'a notification fails when the answer is %s, and succeeds later',
    async (_, answer, seen) => {
      await using storage = await openStorage();
      let isWell = false;
      const { deliverer, sent, timer, row } = delivererOf(storage, { answer: () => (isWell ? 204 : answer) });
      const taskId = await addDelivery(storage, deliverer);
      await end(storage, taskId);
      await timer.advance(0);
      expect(await row('dlv_1')).toMatchObject({ status: 'due', attempts: 1, ...seen });
      isWell = true;
      await timer.advance(30_000);
      expect(await row('dlv_1')).toMatchObject({ status: 'delivered', attempts: 2, last_status: 204 });
      expect(sent).toHaveLength(2);
    },
  );

  it('the next process continues a notification with another clock and without a loss', async () => {
    await using storage = await openStorage();
    const timer = manualTimer(began);
    const answer = () => 503;
    const first = delivererOf(storage, { timer, answer });
    await end(storage, await addDelivery(storage, first.deliverer));
    await timer.advance(0);
    await first.deliverer.stop();
    // This one ended while nobody listened, as when the daemon is killed between the two commits.
    const lost = await addDelivery(
      storage,
      delivererOf(storage).deliverer,
      'dlv_2',
      'https://other.example/',
    );
    await end(storage, lost);

    const second = delivererOf(storage, { timer, answer });
    second.deliverer.start();
    await until(async () => expect((await second.row('dlv_2')).status).toBe('due'));
    await timer.advance(29_000);
    expect(second.sent.map(({ headers }) => headers?.['webhook-id'])).toEqual(['dlv_2']);
    await timer.advance(1000);
    // They go to different receivers, so they have no order.
    const again = second.sent.slice(1).map(({ headers }) => String(headers?.['webhook-id']));
    expect(again.toSorted()).toEqual(['dlv_1', 'dlv_2']);
    await second.deliverer.stop();

    timer.setBy(3_600_000);
    const third = delivererOf(storage, { timer, answer });
    third.deliverer.start();
    await until(async () => {
      await timer.advance(0);
      expect(third.sent).toHaveLength(2);
    });
    expect(await third.row('dlv_1')).toMatchObject({ status: 'due', attempts: 3 });
    expect(third.sent.find(({ headers }) => headers?.['webhook-id'] === 'dlv_1')?.body).toBe(
      first.sent[0]?.body,
    );
    await third.deliverer.stop();
  });

  it('watches all waiting notifications after a start, however many there are', async () => {
    await using storage = await openStorage();
    const first = delivererOf(storage);
    const ids = Array.from({ length: 1203 }, (_, index) => `dlv_${String(index).padStart(4, '0')}`);
    for (const id of ids) await addDelivery(storage, first.deliverer, id, `https://r${id}.example/`);
    const second = delivererOf(storage);
    second.deliverer.start();
    await until(() => expect(storage.bus.has('task')).toBe(true));
    await end(storage, 'task_of_dlv_1202');
    await until(async () => {
      await second.timer.advance(0);
      expect(second.sent).toHaveLength(1);
    });
    await second.deliverer.stop();
  });

  it('sends no notification once its token is revoked', async () => {
    await using storage = await openStorage();
    const { deliverer, sent, timer, row } = delivererOf(storage, { answer: () => 500 });
    const taskId = await addDelivery(storage, deliverer);
    await end(storage, taskId);
    await timer.advance(0);
    await storage.database.write(({ db }) => db.deleteFrom('api_tokens').execute());
    await timer.advance(3_600_000);
    expect(sent).toHaveLength(1);
    expect(await row('dlv_1')).toMatchObject({
      status: 'failed',
      last_error: 'The token is no longer valid',
    });
  });

  it('does not send a notification twice while the disk is full', async () => {
    await using storage = await openStorage();
    const full = { isFull: false };
    const write = storage.database.write.bind(storage.database);
    storage.database.write = (work) =>
      full.isFull ? Promise.reject(new AppError('storage_full', 'The disk is full')) : write(work);
    const { deliverer, sent, timer, row } = delivererOf(storage, {
      answer: () => {
        full.isFull = true;
        return 200;
      },
    });
    const taskId = await addDelivery(storage, deliverer);
    await end(storage, taskId);
    await timer.advance(0);
    await deliverer.sweep();
    await timer.advance(60_000);
    expect(sent).toHaveLength(1);
    full.isFull = false;
    await until(async () => expect((await row('dlv_1')).status).toBe('delivered'));
  });
});
