import 'web-push';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { OutboundError } from '../../../src/core/outbound/outbound-error.ts';
import type { OutboundRequest } from '../../../src/core/outbound/outbound-fetch.ts';
import { silentLog } from '../../../src/core/log.ts';
import { PushDeliverer } from '../../../src/core/push/push-deliverer.ts';
import { PushOutbox } from '../../../src/core/push/push-outbox.ts';
import { PushRegistry } from '../../../src/core/push/push-registry.ts';
import { PushService } from '../../../src/core/push/push-service.ts';
import { PushStore } from '../../../src/core/push/push-store.ts';
import { topicOf } from '../../../src/core/push/push-texts.ts';
import { vapidKeys } from '../../../src/core/push/vapid-keys.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { ApprovalRow } from '../../../src/core/storage/rows/approvals.ts';
import type { TaskHappening } from '../../../src/core/tasks/task-outbox.ts';
import { newPushBrowser } from '../../helpers/push-browser.ts';
import { openDevices } from '../devices/device-parts.ts';
import { manualTimer } from '../outbound/manual-timer.ts';

const began = Date.parse('2026-01-01T00:00:00.000Z');
const keys = new KeyRing(Buffer.alloc(32, 1));
const vapid = vapidKeys(keys);

async function openPush(answer: () => number | OutboundError = () => 201) {
  const test = await openDevices();
  const timer = manualTimer(began);
  const sent: { url: string; request: OutboundRequest }[] = [];
  const runtime = { ...systemRuntime, now: timer.now, random: () => 0 };
  const reportBug = (error: unknown) => {
    throw error;
  };
  const store = new PushStore(test.database);
  const shared = { database: test.database, bus: test.bus, store, keys, vapid, runtime, reportBug };
  const registry = await PushRegistry.load(shared);
  const deliverer = new PushDeliverer({
    ...shared,
    registry,
    subject: () => 'https://svc.example',
    log: silentLog,
    setTimer: timer.setTimer,
    fetch: async (url, request) => {
      sent.push({ url, request });
      const status = answer();
      if (status instanceof OutboundError) throw status;
      return { status, headers: new Headers(), text: '' };
    },
  });
  deliverer.start();
  const check = (url: string) => {
    if (url.includes('10.0.0.1')) throw new OutboundError('refused', 'not a public address');
  };
  const push = new PushService({ ...shared, registry, deliverer, outbound: { check } });
  const outbox = new PushOutbox({ ...shared, registry, deliverer });
  const signIn = async (userId: string): Promise<Caller> => {
    const { token } = await test.sessions.create({ userId, kind: 'sign-in' });
    const caller = await test.sessions.resolve(token);
    if (!caller) throw new Error('There is no session');
    return caller;
  };
  return {
    ...test,
    timer,
    sent,
    push,
    signIn,
    approval: (change: Partial<ApprovalRow> = {}) =>
      test.database.write((transaction) => outbox.addApproval(transaction, { ...pending, ...change })),
    task: (type: 'failed' | 'completed' | 'deferred', data?: Record<string, unknown>) =>
      test.database.write(async (transaction) =>
        outbox.add(transaction, {
          task: {
            id: 'task_1',
            title: 'Import\nsk-ant-api03-abcdefghijklmnopqrstuvwx',
            owner_id: 'user_ann',
          },
          events: [{ type, message: '', ...(data && { data }) }],
        } as unknown as TaskHappening),
      ),
    async [Symbol.asyncDispose]() {
      await deliverer.stop();
      await test[Symbol.asyncDispose]();
    },
  };
}

const pending = {
  id: 'appr_1',
  owner_id: 'user_ann',
  task_id: 'task_1',
  tool: 'run_command',
  arguments: '{"command":"cat /etc/secret-file"}',
  status: 'pending',
  requested_at: new Date(began).toISOString(),
  expires_at: new Date(began + 600_000).toISOString(),
  decided_by: null,
} as unknown as ApprovalRow;

describe('a browser with notifications', () => {
  it('gets an encrypted message with the tool, the link and nothing of the arguments', async () => {
    await using test = await openPush();
    const browser = newPushBrowser();
    const ann = await test.signIn('user_ann');
    await test.push.subscribe(ann, { ...browser.subscription, kinds: ['approval'] });
    await test.approval();
    await test.timer.advance(0);
    const [{ url, request } = expect.fail()] = test.sent;
    expect(url).toBe('https://push.example/send/1');
    expect(request.headers).toMatchObject({
      TTL: '600',
      Urgency: 'high',
      Topic: topicOf('appr_1'),
      'Content-Encoding': 'aes128gcm',
      Authorization: expect.stringContaining(`k=${vapid.publicKey}`),
    });
    expect(browser.read(request.bytes ?? new Uint8Array())).toEqual({
      kind: 'approval',
      title: 'Allow run_command?',
      link: '/approvals/appr_1',
      tag: topicOf('appr_1'),
    });
    expect((await test.push.list(ann)).subscriptions).toMatchObject([
      {
        current: true,
        service: 'push.example',
        kinds: ['approval'],
        lastSentAt: new Date(began).toISOString(),
      },
    ]);
  });

  it('gets in place of a question that was decided who decided', async () => {
    await using test = await openPush();
    const browser = newPushBrowser();
    await test.push.subscribe(await test.signIn('user_ann'), {
      ...browser.subscription,
      kinds: ['approval'],
    });
    await test.approval();
    await test.approval({ status: 'denied', decided_by: 'user_root' });
    await test.timer.advance(0);
    const said = test.sent.map(({ request }) => browser.read(request.bytes ?? new Uint8Array()));
    expect(said).toEqual([
      {
        kind: 'decided',
        title: 'run_command: denied by user_root',
        link: '/approvals/appr_1',
        tag: topicOf('appr_1'),
      },
    ]);
    expect(test.sent[0]?.request.headers).toMatchObject({ Urgency: 'low', Topic: topicOf('appr_1') });
  });

  it('hears only of what it asked for, on one line and without secrets', async () => {
    await using test = await openPush();
    const browser = newPushBrowser();
    await test.push.subscribe(await test.signIn('user_ann'), { ...browser.subscription, kinds: ['failure'] });
    await test.approval();
    await test.task('deferred');
    await test.task('completed');
    await test.task('failed');
    await test.timer.advance(0);
    const said = test.sent.map(({ request }) => browser.read(request.bytes ?? new Uint8Array()));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatchObject({ kind: 'failure', link: '/tasks/task_1' });
    expect(said[0]?.title).toMatch(/^Failed: Import /);
    expect(said[0]?.title).not.toContain('abcdefghijklmnop');
  });

  it('hears nothing of other people', async () => {
    await using test = await openPush();
    await test.push.subscribe(await test.signIn('user_bob'), {
      ...newPushBrowser().subscription,
      kinds: ['approval', 'failure', 'waiting'],
    });
    await test.approval();
    await test.task('failed');
    await test.timer.advance(0);
    expect(test.sent).toEqual([]);
  });

  it('gets nothing after its session, also not what waits already', async () => {
    await using test = await openPush();
    const ann = await test.signIn('user_ann');
    await test.push.subscribe(ann, { ...newPushBrowser().subscription, kinds: ['approval'] });
    await test.approval();
    await test.sessions.end(ann);
    await test.timer.advance(0);
    expect(test.sent).toEqual([]);
    await test.push.removeOld();
    await test.approval({ id: 'appr_2' });
    expect(await test.database.read.selectFrom('push_subscriptions').selectAll().execute()).toEqual([]);
    expect(await test.database.read.selectFrom('push_messages').selectAll().execute()).toEqual([]);
  });

  it.each([404, 410])('is forgotten where the push service answers %i', async (status) => {
    await using test = await openPush(() => status);
    const ann = await test.signIn('user_ann');
    await test.push.subscribe(ann, { ...newPushBrowser().subscription, kinds: ['approval'] });
    await test.approval();
    await test.timer.advance(0);
    expect((await test.push.list(ann)).subscriptions).toEqual([]);
  });

  it.each([
    ['an overloaded push service', 503],
    ['one that cannot be reached', new OutboundError('network', 'no answer')],
  ])('gets a message later from %s, until it is too old', async (_, answer) => {
    await using test = await openPush(() => answer);
    const ann = await test.signIn('user_ann');
    await test.push.subscribe(ann, { ...newPushBrowser().subscription, kinds: ['approval'] });
    await test.approval();
    await test.timer.advance(0);
    expect(test.sent).toHaveLength(1);
    await test.timer.advance(30_000);
    expect(test.sent).toHaveLength(2);
    expect(test.sent[1]?.request.headers).toMatchObject({ TTL: '570' });
    await test.timer.advance(3_600_000);
    expect(test.sent).toHaveLength(3);
    expect(await test.database.read.selectFrom('push_messages').selectAll().execute()).toEqual([]);
    expect((await test.push.list(ann)).subscriptions).toMatchObject([{ lastError: expect.any(String) }]);
  });

  it('is one of a session, and of one user at a time', async () => {
    await using test = await openPush();
    const [ann, bob] = [await test.signIn('user_ann'), await test.signIn('user_bob')];
    const { subscription } = newPushBrowser();
    await test.push.subscribe(ann, { ...subscription, kinds: ['approval'] });
    await test.push.subscribe(ann, { ...subscription, kinds: ['failure'] });
    expect((await test.push.list(ann)).subscriptions).toMatchObject([{ kinds: ['failure'] }]);
    await test.push.subscribe(bob, { ...subscription, kinds: ['failure'] });
    expect((await test.push.list(ann)).subscriptions).toEqual([]);
    expect((await test.push.list(bob)).subscriptions).toHaveLength(1);
  });

  it.each([
    ['http', { endpoint: 'http://push.example/1' }, 'validation'],
    ['another scheme', { endpoint: 'ftp://push.example/1' }, 'validation'],
    ['a private address', { endpoint: 'https://10.0.0.1/1' }, 'refused'],
    [
      'a key that is no point of the curve',
      { p256dh: Buffer.alloc(65, 4).toString('base64url') },
      'validation',
    ],
    ['a short secret', { auth: 'AAAA' }, 'validation'],
  ])('refuses %s', async (_, change: { endpoint?: string; p256dh?: string; auth?: string }, expected) => {
    await using test = await openPush();
    const { endpoint, keys: own } = newPushBrowser().subscription;
    const { endpoint: other = endpoint, ...otherKeys } = change;
    const error: unknown = await test.push
      .subscribe(await test.signIn('user_ann'), {
        endpoint: other,
        keys: { ...own, ...otherKeys },
        kinds: ['approval'],
      })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    if (expected === 'validation') expect(error).toMatchObject({ code: 'validation' });
    else expect(error).toBeInstanceOf(OutboundError);
  });

  it('needs a session that can end', async () => {
    await using test = await openPush();
    await expect(
      test.push.subscribe(
        { userId: 'user_ann', role: 'user' },
        { ...newPushBrowser().subscription, kinds: ['approval'] },
      ),
    ).rejects.toMatchObject({ code: 'wrong_state' });
  });
});

it('the key of the daemon for push services follows from its seed', () => {
  expect(vapidKeys(new KeyRing(Buffer.alloc(32, 1)))).toEqual(vapid);
  expect(vapidKeys(new KeyRing(Buffer.alloc(32, 2)))).not.toEqual(vapid);
});
