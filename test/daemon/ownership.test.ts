import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveMessage } from '../../src/contract/live.ts';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { newApproval } from '../helpers/approvals.ts';
import { newSigner } from '../helpers/signers.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { allRoutes } from '../helpers/routes.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { newPushBrowser } from '../helpers/push-browser.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
let bob: TestUser;
/** What belongs to Ann. */
let failed: string;
let running: string;
let done: string;
let deadLetter: string;
let notification: string;
let browser: string;
let session: string;
let signingKey: string;
let token: string;
let device: string;
let request: string;
let conversation: string;
let approval: string;
let webhook: string;
let delivery: string;
let schedule: string;
let experience: string;
let preference: string;
let memorySession: string;

const doing = testAdapter(async () => ({ output: 'done' }), { type: 'doing' });
const failing = { ...failingAdapter('auth'), type: 'failing' };
const held = heldAdapter({ type: 'held' });

async function fail(client: Client) {
  const { task } = await client.tasks.create({ body: { title: 'Will fail', assignedAgent: 'failing' } });
  await follow(client, task.id);
  return task.id;
}

beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [doing, failing, held.adapter] });
  [ann, bob] = await Promise.all([addUser(daemon, 'ann'), addUser(daemon, 'bob')]);
  failed = await fail(ann.client);
  done = (
    await ann.client.tasks.create({
      body: { title: 'Ann works', labels: ['secret'], assignedAgent: 'doing' },
    })
  ).task.id;
  await follow(ann.client, done);
  running = (await ann.client.tasks.create({ body: { title: 'Ann runs', assignedAgent: 'held' } })).task.id;
  await held.started(0);
  deadLetter = (await ann.client.dlq.list()).items[0]?.id ?? '';
  notification = (await ann.client.notifications.list()).notifications[0]?.id ?? '';
  session = (await ann.client.sessions.list()).sessions[0]?.id ?? '';
  signingKey = (await ann.client.keys.register({ body: newSigner() })).key.id;
  const made = await ann.client.tokens.create({ body: { name: 'x', scopes: ['gateway:write'] } });
  token = made.id;
  conversation = (await ann.client.conversations.create({ body: {} })).conversation.id;
  const asked = await daemon.app.approvals.request(
    newApproval({
      run_id: 'run',
      call_id: 'call',
      owner_id: 'user_ann',
      conversation_id: conversation,
      task_id: null,
      scope_id: conversation,
      tool: 'write_file',
      danger: 'medium',
      reason: 'It changes something',
      binding: 'none',
    }),
  );
  approval = asked.id;
  const planned = await ann.client.schedules.create({
    body: { cron: '0 0 1 1 *', task: { title: 'Ann plans' } },
  });
  schedule = planned.schedule.id;
  const learned = await ann.client.experiences.create({
    body: { type: 'task_solution', intent: 'Ann learns secretly', solution: ['Read the book'] },
  });
  experience = learned.experience.id;
  const liked = await ann.client.preferences.track({ body: { category: 'theme', value: 'dark' } });
  preference = liked.preference.id;
  memorySession = (await ann.client.memory.createSession({ body: { name: 'Ann works' } })).session.id;
  const { subscription } = await ann.client.push.subscribe({ body: newPushBrowser().subscription });
  browser = subscription.id;
  const pairing = await ann.client.pairing.create({ body: { requesterId: 'phone' } });
  await ann.client.pairing.approve({ body: { code: pairing.code } });
  device = (await ann.client.devices.list()).devices[0]?.id ?? '';
  const hook = { url: 'https://receiver.invalid/', events: ['task.created' as const] };
  webhook = (await ann.client.webhooks.create({ body: hook })).webhook.id;
  request = (await bearer(made.token).gateway.submit({ body: { task: { title: 'By token' } } })).requestId;
  delivery = (await ann.client.webhooks.listDeliveries({ params: { id: webhook } })).deliveries[0]?.id ?? '';
  bobsToken = (await bob.client.tokens.create({ body: { name: 'x', scopes: ['gateway:write'] } })).token;
  await ann.client.tasks.cancel({ params: { id: (await ann.client.tasks.list()).tasks[0]?.id ?? '' } });
});

let bobsToken: string;
/** A client that sends an API token. */
const bearer = (text: string): Client =>
  createClient(contract, {
    baseUrl: daemon.url,
    fetch: (url, init) => fetch(url, init),
    headers: { authorization: `Bearer ${text}` },
  });
afterAll(() => daemon[Symbol.asyncDispose]());

const calls: Record<string, (client: Client) => Promise<unknown>> = {
  'tasks.get': (client) => client.tasks.get({ params: { id: done } }),
  'tasks.cancel': (client) => client.tasks.cancel({ params: { id: running } }),
  'tasks.delete': (client) => client.tasks.delete({ params: { id: done } }),
  'tasks.retry': (client) => client.tasks.retry({ params: { id: failed } }),
  'tasks.release': (client) => client.tasks.release({ params: { id: running } }),
  'tasks.getOutput': (client) => client.tasks.getOutput({ params: { id: done } }).next(),
  'tasks.searchOutput': (client) => client.tasks.searchOutput({ params: { id: done }, query: { q: 'x' } }),
  'tasks.getChanges': (client) => client.tasks.getChanges({ params: { id: done } }),
  'tasks.listChangedFiles': (client) => client.tasks.listChangedFiles({ params: { id: done } }),
  'tasks.getFilePatch': (client) => client.tasks.getFilePatch({ params: { id: done }, query: { path: 'a' } }),
  'tasks.getPatch': (client) => client.tasks.getPatch({ params: { id: done } }).next(),
  'tasks.applyChanges': (client) => client.tasks.applyChanges({ params: { id: done } }),
  'tasks.pushChanges': (client) => client.tasks.pushChanges({ params: { id: done } }),
  'tasks.openPullRequest': (client) => client.tasks.openPullRequest({ params: { id: done }, body: {} }),
  'tasks.commitChanges': (client) => client.tasks.commitChanges({ params: { id: done }, body: {} }),
  'tasks.discardChanges': (client) => client.tasks.discardChanges({ params: { id: done }, body: {} }),
  'tasks.getChecks': (client) => client.tasks.getChecks({ params: { id: done } }),
  'tasks.getTrace': (client) => client.tasks.getTrace({ params: { id: done } }),
  'tasks.getCandidates': (client) => client.tasks.getCandidates({ params: { id: done } }),
  'tasks.pick': (client) => client.tasks.pick({ params: { id: done }, body: { candidateId: done } }),
  'tasks.undo': (client) => client.tasks.undo({ params: { id: done }, body: {} }),
  'tasks.listEvents': (client) => client.tasks.listEvents({ params: { id: done } }),
  'tasks.eventsStream': (client) => client.tasks.listEventsStream({ params: { id: done } }).next(),
  'dlq.get': (client) => client.dlq.get({ params: { id: deadLetter } }),
  'dlq.retry': (client) => client.dlq.retry({ params: { id: deadLetter } }),
  'dlq.discard': (client) => client.dlq.discard({ params: { id: deadLetter } }),
  'dlq.resolve': (client) => client.dlq.resolve({ params: { id: deadLetter }, body: {} }),
  'notifications.markRead': (client) => client.notifications.markRead({ params: { id: notification } }),
  'notifications.markUnread': (client) => client.notifications.markUnread({ params: { id: notification } }),
  'notifications.delete': (client) => client.notifications.delete({ params: { id: notification } }),
  'push.unsubscribe': (client) => client.push.unsubscribe({ params: { id: browser } }),
  'push.sendTest': (client) => client.push.sendTest({ params: { id: browser } }),
  'sessions.revoke': (client) => client.sessions.revoke({ params: { id: session } }),
  'keys.remove': (client) => client.keys.remove({ params: { id: signingKey } }),
  'tokens.revoke': (client) => client.tokens.revoke({ params: { id: token } }),
  'devices.update': (client) => client.devices.update({ params: { id: device }, body: { name: 'Mine' } }),
  'devices.revoke': (client) => client.devices.revoke({ params: { id: device } }),
  'conversations.get': (client) => client.conversations.get({ params: { id: conversation } }),
  'conversations.followEvents': (client) =>
    client.conversations.followEventsStream({ params: { id: conversation } }).next(),
  'conversations.stopTurn': (client) => client.conversations.stopTurn({ params: { id: conversation } }),
  'conversations.compact': (client) =>
    client.conversations.compact({ params: { id: conversation }, body: {} }),
  'conversations.getChanges': (client) => client.conversations.getChanges({ params: { id: conversation } }),
  'conversations.undo': (client) => client.conversations.undo({ params: { id: conversation }, body: {} }),
  'conversations.delete': (client) => client.conversations.delete({ params: { id: conversation } }),
  'conversations.sendMessage': (client) =>
    client.conversations.sendMessage({ params: { id: conversation }, body: { content: 'Hi' } }),
  'conversations.sendMessageWithTools': (client) =>
    client.conversations.sendMessageWithTools({ params: { id: conversation }, body: { content: 'Hi' } }),
  'conversations.sendWithToolsStream': (client) =>
    client.conversations
      .sendMessageWithToolsStream({ params: { id: conversation }, body: { content: 'Hi' } })
      .next(),
  'conversations.sendAgenticMessage': (client) =>
    client.conversations
      .sendAgenticMessageStream({ params: { id: conversation }, body: { content: 'Hi' } })
      .next(),
  'approvals.get': (client) => client.approvals.get({ params: { id: approval } }),
  'approvals.preview': (client) =>
    client.approvals.preview({ params: { id: approval }, body: { arguments: {} } }),
  'approvals.decide': (client) =>
    client.approvals.decide({ params: { id: approval }, body: { decision: 'allow-once' } }),
  'webhooks.get': (client) => client.webhooks.get({ params: { id: webhook } }),
  'webhooks.update': (client) => client.webhooks.update({ params: { id: webhook }, body: { active: false } }),
  'webhooks.rotateSecret': (client) => client.webhooks.rotateSecret({ params: { id: webhook } }),
  'webhooks.sendTest': (client) => client.webhooks.sendTest({ params: { id: webhook } }),
  'webhooks.listDeliveries': (client) => client.webhooks.listDeliveries({ params: { id: webhook } }),
  'webhooks.redeliver': (client) =>
    client.webhooks.redeliver({ params: { id: webhook, deliveryId: delivery } }),
  'webhooks.delete': (client) => client.webhooks.delete({ params: { id: webhook } }),
  'schedules.get': (client) => client.schedules.get({ params: { id: schedule } }),
  'schedules.update': (client) =>
    client.schedules.update({ params: { id: schedule }, body: { active: false } }),
  'schedules.run': (client) => client.schedules.run({ params: { id: schedule } }),
  'schedules.delete': (client) => client.schedules.delete({ params: { id: schedule } }),
  'experiences.get': (client) => client.experiences.get({ params: { id: experience } }),
  'experiences.use': (client) => client.experiences.use({ params: { id: experience } }),
  'experiences.delete': (client) => client.experiences.delete({ params: { id: experience } }),
  'preferences.list': (client) => client.preferences.list({ params: { userId: 'user_ann' } }),
  'preferences.delete': (client) =>
    client.preferences.delete({ params: { userId: 'user_ann', id: preference } }),
  'memory.archiveSession': (client) => client.memory.archiveSession({ params: { id: memorySession } }),
  'gateway.getStatus': () => bearer(bobsToken).gateway.getStatus({ params: { requestId: request } }),
};
/** Their parameters name nobody's object (files are everybody's), or a secret of the caller, or only administrators come there. */
const unowned = [
  'agents.get',
  'agents.test',
  'cluster.drain',
  'cluster.resume',
  'config.update',
  'inbound.get',
  'inbound.replay',
  'invites.delete',
  'openai.getModel',
  'memory.listChunks',
  'memory.deleteChunk',
  'memory.deleteFile',
  'users.update',
  'pairing.getStatus',
  'providers.configure',
  'providers.remove',
  'providers.checkHealth',
  'providers.listModels',
  'audit.get',
  'guards.update',
];

it('the ownership table covers every route that names an object', () => {
  const naming = allRoutes.filter(({ route }) => route.params).map(({ name }) => name);
  const looked = Object.keys(calls).filter((name) => !name.endsWith('Stream'));
  expect([...looked, ...unowned].sort()).toEqual(naming.sort());
});

describe('objects of other users', () => {
  it.each(Object.keys(calls))('%s answers 404 for an object of another user', async (name) => {
    const before = await state();
    await expect(calls[name]?.(bob.client)).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        /^(Task|Dead letter|Notification|Session|Signing key|Token|Device|Request|Conversation|Approval|Webhook|Schedule|Experience|User|Memory session|Browser) not found$/,
      ),
    });
    expect(await state()).toEqual(before);
  });

  it('an object of another user looks the same as one that does not exist', async () => {
    const answer = async (id: string) => {
      const response = await fetch(new URL(`/api/tasks/${id}`, daemon.url), { headers: bob.headers });
      return [response.status, await response.json()];
    };
    expect(await answer(done)).toEqual(await answer('task_nothing'));
  });

  it('objects of other users are in no list, count, export or analysis', async () => {
    expect(await bob.client.tasks.list()).toMatchObject({ tasks: [], total: 0, count: 0 });
    expect(await bob.client.tasks.filter()).toMatchObject({ tasks: [], total: 0 });
    expect(await bob.client.tasks.filter({ query: { q: 'ann' } })).toMatchObject({ tasks: [], total: 0 });
    expect(await bob.client.tasks.filter({ query: { labels: 'secret' } })).toMatchObject({ total: 0 });
    expect(await bob.client.tasks.filter({ query: { sortBy: 'completedAt' } })).toMatchObject({ total: 0 });
    expect(await bob.client.tasks.export()).toMatchObject({ taskCount: 0, tasks: [] });
    expect(await bob.client.tasks.getAnalytics()).toMatchObject({ total: 0, byStatus: {}, byAgent: {} });
    expect((await bob.client.tasks.getAnalytics()).daily.every(({ created }) => created === 0)).toBe(true);
    expect(await bob.client.dlq.list({ query: { status: 'all' } })).toEqual({
      items: [],
      total: 0,
      limit: 50,
      offset: 0,
    });
    expect(await bob.client.notifications.list()).toMatchObject({ total: 0, unread: 0 });
    expect(await bob.client.conversations.list()).toMatchObject({ conversations: [], total: 0 });
    expect(await bob.client.webhooks.list()).toEqual({ webhooks: [] });
    expect(await bob.client.schedules.list()).toMatchObject({ schedules: [], total: 0 });
    expect(await bob.client.experiences.list()).toMatchObject({ experiences: [], total: 0 });
    expect(await found(bob.client)).toEqual([]);
    expect(await bob.client.experiences.decay()).toEqual({ decayed: 0 });
    expect(await bob.client.experiences.prune({ body: { minWeight: 2 } })).toEqual({ pruned: 0 });
    expect(await bob.client.preferences.list({ params: { userId: 'me' } })).toEqual({
      preferences: [],
      total: 0,
      limit: 0,
      offset: 0,
    });
    expect(await bob.client.memory.listSessions()).toMatchObject({ sessions: [], total: 0 });
  });

  it('an owner sees all of their own objects', async () => {
    expect(await ann.client.tasks.list()).toMatchObject({ total: 4, count: 4 });
    expect(await ann.client.tasks.filter({ query: { q: 'ann' } })).toMatchObject({ total: 2 });
    expect(await ann.client.tasks.export()).toMatchObject({ taskCount: 4 });
    expect(await ann.client.tasks.getAnalytics()).toMatchObject({ total: 4 });
    expect(await ann.client.dlq.list()).toMatchObject({ total: 1 });
    expect(await ann.client.notifications.list()).toMatchObject({ total: 2, unread: 2 });
    expect(await ann.client.conversations.list()).toMatchObject({ total: 1 });
    expect((await ann.client.webhooks.list()).webhooks).toMatchObject([{ id: webhook, active: true }]);
    const { deliveries } = await ann.client.webhooks.listDeliveries({ params: { id: webhook } });
    expect(deliveries.map(({ id }) => id)).toEqual([delivery]);
    expect(await ann.client.schedules.list()).toMatchObject({ total: 1 });
    expect(await ann.client.experiences.list()).toMatchObject({ total: 1 });
    expect(await found(ann.client)).toEqual([experience]);
    const { preferences } = await ann.client.preferences.list({ params: { userId: 'me' } });
    expect(preferences.map(({ id }) => id)).toEqual([preference]);
    expect(await ann.client.memory.listSessions()).toMatchObject({ total: 1 });
  });

  it('an administrator sees the objects of others, except notifications and personal memory', async () => {
    expect((await daemon.client.tasks.list()).total).toBe(4);
    expect((await daemon.client.conversations.list()).total).toBe(1);
    expect((await daemon.client.schedules.list()).total).toBe(1);
    expect((await daemon.client.experiences.list()).total).toBe(1);
    expect((await daemon.client.memory.listSessions()).total).toBe(1);
    const hers = await daemon.client.preferences.list({ params: { userId: 'user_ann' } });
    expect(hers.preferences).toHaveLength(1);
    expect(await found(daemon.client)).toEqual([]);
    expect((await daemon.client.dlq.list()).total).toBe(1);
    expect((await daemon.client.tasks.get({ params: { id: done } })).task.id).toBe(done);
    expect((await daemon.client.notifications.list()).total).toBe(0);
  });

  it('objects of other users are not in the live feed', async () => {
    const seen: Record<'ann' | 'bob' | 'owner', LiveMessage[]> = { ann: [], bob: [], owner: [] };
    const into = (name: keyof typeof seen) => ({
      send: (message: LiveMessage) => void seen[name].push(message),
      end: () => undefined,
      isBehind: () => false,
    });
    const subscriptions = [
      daemon.app.live.subscribe(ann.caller, into('ann')),
      daemon.app.live.subscribe(bob.caller, into('bob')),
      daemon.app.live.subscribe({ userId: 'user_owner', role: 'admin' }, into('owner')),
    ];
    const id = await fail(ann.client);
    const { task } = await bob.client.tasks.create({ body: { title: 'Bob waits' } });
    for (const subscription of subscriptions) subscription.stop();
    const taskIds = (messages: LiveMessage[]) =>
      new Set(messages.flatMap((message) => (message.type === 'task' ? [message.task.id] : [])));
    const kinds = (messages: LiveMessage[]) => new Set(messages.map(({ type }) => type));
    expect(taskIds(seen.ann)).toEqual(new Set([id]));
    expect(taskIds(seen.bob)).toEqual(new Set([task.id]));
    expect(taskIds(seen.owner)).toEqual(new Set([id, task.id]));
    expect(kinds(seen.ann)).toContain('notification');
    expect(kinds(seen.bob)).not.toContain('notification');
    expect(kinds(seen.owner)).not.toContain('notification');
  });
});

describe('a plain user', () => {
  it.each([
    [{ assignedAgent: 'command', prompt: 'true' }],
    [{ cwd: '/' }],
    [{ assignedAgent: 'doing', cwd: '/tmp' }],
  ])('a user may not run a command: %j', async (body) => {
    const before = await state();
    await expect(bob.client.tasks.create({ body: { title: 'Run', ...body } })).rejects.toMatchObject({
      status: 403,
      message: 'Only an administrator may run commands',
    });
    expect(await state()).toEqual(before);
  });

  it('a user can cancel only their own run', async () => {
    await until(() => held.runs.length);
    await ann.client.tasks.cancel({ params: { id: running } });
    expect(held.runs[0]?.run.signal.aborted).toBe(true);
  });
});

const found = async (client: Client) =>
  (await client.experiences.search({ query: { q: 'secretly' } })).experiences.map(({ id }) => id);

/** Everything that a refused call must leave as it is. */
async function state() {
  const [tasks, letters, { queues }, talk, schedules, experiences, preferences, sessions] = await Promise.all(
    [
      daemon.client.tasks.list({ query: { limit: 500, full: true } }),
      daemon.client.dlq.list({ query: { status: 'all' } }),
      daemon.client.queue.getStatus(),
      daemon.client.conversations.get({ params: { id: conversation } }),
      daemon.client.schedules.list(),
      daemon.client.experiences.list(),
      daemon.client.preferences.list({ params: { userId: 'user_ann' } }),
      daemon.client.memory.listSessions(),
    ],
  );
  // The weight of an experience decays as time passes.
  const lessons = experiences.experiences.map((each) => ({ ...each, weight: undefined }));
  return { tasks, letters, queues, talk, schedules, lessons, preferences, sessions };
}
