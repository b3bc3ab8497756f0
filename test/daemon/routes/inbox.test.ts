import { afterEach, describe, expect, it } from 'vitest';
import type { Inbox, InboxItem } from '../../../src/contract/inbox.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { newApproval } from '../../helpers/approvals.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon | undefined;
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  daemon = undefined;
});

const kindsOf = ({ items }: Inbox) => items.map(({ kind }) => kind);
const only = <K extends InboxItem['kind']>({ items }: Inbox, kind: K) =>
  items.filter((item): item is Extract<InboxItem, { kind: K }> => item.kind === kind);

describe('GET /api/inbox', () => {
  it('is empty where nothing waits', async () => {
    daemon = await startDaemon();
    const midnight = () => new Date().setHours(0, 0, 0, 0);
    const before = midnight();
    const inbox = await daemon.client.inbox.get();
    expect(inbox).toMatchObject({
      items: [],
      counts: { needsYou: 0, approvals: 0, deadLetters: 0, notifications: 0, unread: 0 },
      running: { tasks: [], total: 0 },
      queued: 0,
      completed: { tasks: [], total: 0 },
    });
    // Two of them where the day ends meanwhile.
    expect([before, midnight()]).toContain(Date.parse(inbox.completed.since));
    for (const query of [{ limit: 0 }, { limit: 501 }, { since: 'yesterday' }])
      await expect(daemon.client.inbox.get({ query })).rejects.toMatchObject({ status: 400 });
  });

  it('has each dead letter once, and counts what a limit leaves out', async () => {
    daemon = await startDaemon({ extraAdapters: [failingAdapter('quota', 'Nothing left')] });
    for (const title of ['a', 'b', 'c']) {
      const { task } = await daemon.client.tasks.create({ body: { title, assignedAgent: 'test' } });
      await follow(daemon.client, task.id);
    }
    const inbox = await daemon.client.inbox.get();
    expect(kindsOf(inbox)).toEqual(['dead_letter', 'dead_letter', 'dead_letter']);
    expect(inbox.counts).toMatchObject({ needsYou: 3, deadLetters: 3, notifications: 0, unread: 3 });
    const first = await daemon.client.inbox.get({ query: { limit: 1 } });
    expect(only(first, 'dead_letter').map(({ deadLetter }) => deadLetter.title)).toEqual(['c']);
    expect(first.counts).toEqual(inbox.counts);
  });

  it('has calls that wait first, and agents whose login was refused for administrators', async () => {
    const strict = testAdapter(async () => ({ output: 'done' }), {
      type: 'strict',
      name: 'Strict',
      problem: () => ({ state: 'needs_login', message: 'strict needs a login', next: 'Run: strict login' }),
    });
    daemon = await startDaemon({ extraAdapters: [strict] });
    const ann = await addUser(daemon, 'ann');
    await daemon.app.approvals.request(newApproval({ owner_id: ann.caller.userId }));
    const inbox = await daemon.client.inbox.get();
    expect(kindsOf(inbox)).toEqual(['approval', 'agent']);
    expect(only(inbox, 'agent')[0]?.agent).toEqual({
      type: 'strict',
      name: 'Strict',
      message: 'strict needs a login',
      hint: 'Run: strict login',
    });
    const hers = await ann.client.inbox.get();
    expect(kindsOf(hers)).toEqual(['approval']);
    // The notification says the same as the item.
    expect(hers.counts).toMatchObject({ needsYou: 1, approvals: 1, notifications: 0, unread: 1 });
  });

  it('says that the queue is paused to administrators only, and lists what waits, runs and was completed', async () => {
    const held = heldAdapter();
    daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: { title: 'Long', assignedAgent: 'test' } });
    await until(async () => expect((await client.inbox.get()).running.total).toBe(1));
    expect((await client.inbox.get()).running.tasks).toMatchObject([
      { id: task.id, status: 'in_progress', startedAt: expect.any(String) },
    ]);
    await client.queue.pause();
    await client.tasks.create({ body: { title: 'Later', assignedAgent: 'test' } });
    const ann = await addUser(daemon, 'ann');
    expect(kindsOf(await client.inbox.get())).toEqual(['queue']);
    expect(await ann.client.inbox.get()).toMatchObject({ items: [], running: { total: 0 }, queued: 0 });
    expect((await client.inbox.get()).queued).toBe(1);
    (await held.started(0)).succeed();
    await follow(client, task.id);
    const { completed } = await client.inbox.get();
    expect(completed).toMatchObject({
      total: 1,
      tasks: [{ id: task.id, outcome: { success: true, duration: expect.any(Number) } }],
    });
    expect(JSON.stringify(completed)).not.toContain('output');
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await client.inbox.get({ query: { since: tomorrow } })).completed).toMatchObject({
      total: 0,
      tasks: [],
      since: tomorrow,
    });
  });

  it('shows nothing of other people; an administrator sees their dead letters, not their notifications', async () => {
    daemon = await startDaemon({ extraAdapters: [failingAdapter('quota', 'Nothing left')] });
    const [ann, bob] = [await addUser(daemon, 'ann'), await addUser(daemon, 'bob')];
    const { task } = await ann.client.tasks.create({ body: { title: 'Hers', assignedAgent: 'test' } });
    await follow(ann.client, task.id);
    expect((await ann.client.inbox.get()).counts).toMatchObject({ needsYou: 1, unread: 1 });
    expect((await bob.client.inbox.get()).counts).toMatchObject({ needsYou: 0, unread: 0 });
    expect((await daemon.client.inbox.get()).counts).toMatchObject({ needsYou: 1, unread: 0 });
  });

  it('names providers whose key was refused, until they have another one', async () => {
    daemon = await startDaemon({
      models: {
        fetch: () => async () => Response.json({ error: { message: 'invalid_api_key' } }, { status: 401 }),
      },
    });
    const { client } = daemon;
    await client.providers.configure({ params: { type: 'openai' }, body: { apiKey: 'sk-wrong' } });
    expect(kindsOf(await client.inbox.get())).toEqual([]);
    await client.providers.checkHealth({ params: { type: 'openai' } });
    expect(only(await client.inbox.get(), 'provider')).toMatchObject([
      { provider: { type: 'openai', name: 'OpenAI', message: expect.any(String) } },
    ]);
    const ann = await addUser(daemon, 'ann');
    expect(kindsOf(await ann.client.inbox.get())).toEqual([]);
    await client.providers.configure({ params: { type: 'openai' }, body: { apiKey: 'sk-other' } });
    expect(kindsOf(await client.inbox.get())).toEqual([]);
  });
});

describe('POST /api/inbox/read', () => {
  it('marks all that were there at a moment, of the caller alone', async () => {
    daemon = await startDaemon({ extraAdapters: [failingAdapter('quota', 'Nothing left')] });
    const ann = await addUser(daemon, 'ann');
    for (const client of [daemon.client, daemon.client, ann.client]) {
      const { task } = await client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } });
      await follow(client, task.id);
    }
    const { notifications } = await daemon.client.notifications.list();
    const until = notifications[1]?.createdAt ?? '';
    const { client } = daemon;
    expect(await client.inbox.markRead({ body: { until } })).toMatchObject({ marked: 1 });
    expect(await client.inbox.markRead({ body: {} })).toEqual({
      message: 'Notifications marked as read',
      marked: 1,
    });
    expect(await client.inbox.markRead({ body: {} })).toMatchObject({ marked: 0 });
    expect((await client.inbox.get()).counts.unread).toBe(0);
    expect((await ann.client.inbox.get()).counts.unread).toBe(1);
    const id = notifications[0]?.id ?? '';
    const { notification } = await client.notifications.markUnread({ params: { id } });
    expect(notification).toEqual(notifications[0]);
    expect((await client.inbox.get()).counts.unread).toBe(1);
  });
});

describe('progress and outcome of listed tasks', () => {
  it('shows how far a run is while it runs, and its result without the texts afterwards', async () => {
    const held = heldAdapter();
    daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: { title: 'Steps', assignedAgent: 'test' } });
    const { run } = await held.started(0);
    run.emit({ type: 'progress', message: 'Step 4', data: { type: 'step:start', step: 4 } });
    const id = task.id;
    await until(async () =>
      expect((await client.tasks.get({ params: { id } })).task.progress).toEqual({ step: 4 }),
    );
    const read = async (fields: string) => (await client.tasks.filter({ query: { fields } })).tasks;
    expect(await read('progress')).toEqual([{ id, progress: { step: 4 } }]);
    expect(await read('title')).toEqual([{ id, title: 'Steps' }]);
    expect((await client.tasks.list()).tasks[0]).toMatchObject({ progress: { step: 4 } });
    expect((await client.inbox.get()).running.tasks).toMatchObject([{ id, progress: { step: 4 } }]);
    (await held.started(0)).succeed();
    await follow(client, id);
    expect((await client.tasks.get({ params: { id } })).task.progress).toBeUndefined();
    const [listed] = await read('outcome');
    expect(listed).toEqual({ id, outcome: { success: true, duration: expect.any(Number) } });
  });
});
