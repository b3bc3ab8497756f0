import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { sized } from '../helpers/long.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

vi.setConfig({ testTimeout: sized(90_000, 180_000) });

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m`;

describe.skipIf(!hasBrowser)('what the inbox lists (needs Chromium)', () => {
  let daemon: TestDaemon;
  const held = heldAdapter({ type: 'held', isChosenByLabels: false });
  let needsLogin = false;
  const strict = testAdapter(async () => ({ output: 'done' }), {
    type: 'strict',
    name: 'Strict',
    isChosenByLabels: false,
    problem: () =>
      needsLogin
        ? { state: 'needs_login', message: 'strict needs a login', next: `Run: strict login ${hostile}` }
        : undefined,
  });
  const failing = { ...failingAdapter('quota', `Nothing left ${hostile}`), type: 'failing' };
  beforeAll(async () => {
    daemon = await startDaemon({
      flags: { 'queue.concurrency': 8 },
      extraAdapters: [held.adapter, failing, strict],
    });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  const run = async (title: string, assignedAgent = 'held') =>
    (await daemon.client.tasks.create({ body: { title, assignedAgent } })).task.id;
  const notify = (title: string) =>
    daemon.app.database.write(async (transaction) =>
      daemon.app.notifications.add(transaction, {
        userId: 'user_owner',
        type: 'push_failed',
        title,
        message: `GitHub refused it ${hostile}`,
        data: {},
      }),
    );

  it('shows how far runs are while they run, and what came of them, without a reload', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByRole('link', { name: 'New task', exact: true }).waitFor();
    const before = held.runs.length;
    const id = await run('Fix the login test');
    const { run: live, succeed } = await held.started(before);
    const row = page.getByRole('link', { name: /Running Fix the login test/ });
    await row.waitFor();
    live.emit({ type: 'progress', message: '', data: { type: 'step:start', step: 4 } });
    live.spend({ inputTokens: 8120, outputTokens: 0, costUsd: 0.02 });
    await row.getByText('step 4').waitFor();
    await row.getByText('8,120').waitFor();
    await row.getByText(/^[1-9]\d* s$/).waitFor();
    expect(await inspect(tab, 'inbox-running')).toEqual([]);
    await page.reload();
    await row.getByText('step 4').waitFor();
    succeed();
    await follow(daemon.client, id);
    await page.getByRole('link', { name: /Completed Fix the login test/ }).waitFor();
    await page.getByText('Nothing is running.').waitFor();
    await page.getByRole('heading', { name: 'Completed today 1' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('retries and discards dead letters, and marks notifications as read unless that is taken back', async () => {
    const id = await run('Nightly import', 'failing');
    await follow(daemon.client, id);
    await notify('The branch was not pushed');
    await notify(`Another one ${hostile}`);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    const letter = page.getByRole('article', { name: 'Nightly import' });
    await letter.waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('<img src=x onerror=alert(1)>');
    expect(text).toContain(String.raw`\u{202e}evil`);
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('heading', { name: 'Needs you 3' }).waitFor();
    await until(async () => expect(await page.title()).toBe('(3) svc'));
    expect(await inspect(tab, 'inbox-needs-you')).toEqual([]);
    const note = page.getByRole('article', { name: 'The branch was not pushed' });
    await pressEnter(note.getByRole('button', { name: 'Mark as read' }));
    await note.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Needs you 2' }).waitFor();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await note.waitFor();
    await pressEnter(page.getByRole('button', { name: 'Mark all as read' }));
    await note.waitFor({ state: 'detached' });
    // Leaving the page does what was not undone; what came later stays unread.
    await notify('Came later');
    await page.getByRole('article', { name: 'Came later' }).waitFor();
    await page.goto('about:blank');
    await until(async () =>
      expect((await daemon.client.inbox.get()).counts).toMatchObject({ notifications: 1 }),
    );
    await tab.open('/');
    await page.getByRole('article', { name: 'Came later' }).waitFor();
    await daemon.client.inbox.markRead({ body: {} });
    await pressEnter(letter.getByRole('button', { name: 'Retry' }));
    await until(async () => {
      const { items } = await daemon.client.dlq.list({ query: { status: 'all' } });
      expect(items.map(({ status }) => status).toSorted()).toEqual(['pending', 'resolved']);
    });
    await pressEnter(letter.getByRole('button', { name: 'Discard' }));
    await letter.waitFor({ state: 'detached' });
    await page.goto('about:blank');
    await until(async () => expect((await daemon.client.inbox.get()).counts.needsYou).toBe(0));
    expect(tab.problems).toEqual([]);
  });

  it('resumes the queue and a failing webhook', async () => {
    const { client } = daemon;
    const body = {
      url: 'https://receiver.invalid/hook',
      events: ['task.created' as const],
      description: 'Pager',
    };
    const { webhook } = await client.webhooks.create({ body });
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('webhooks')
        .set({ status: 'failing', failing_since: new Date(Date.now() - 3_600_000).toISOString() })
        .where('id', '=', webhook.id)
        .execute(),
    );
    needsLogin = true;
    await client.queue.pause();
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByRole('article', { name: 'The queue is paused' }).waitFor();
    const login = page.getByRole('article', { name: 'Strict needs a login' });
    await login.getByText('Run: strict login <img src=x').waitFor();
    expect(await login.getByRole('link', { name: 'Test the agent' }).getAttribute('href')).toBe(
      '/agents/strict',
    );
    expect(await inspect(tab, 'inbox-problems')).toEqual([]);
    needsLogin = false;
    await pressEnter(page.getByRole('button', { name: 'Resume the webhook Pager' }));
    await page.getByRole('article', { name: 'Webhook paused: Pager' }).waitFor({ state: 'detached' });
    expect((await client.webhooks.get({ params: { id: webhook.id } })).webhook.status).toBe('active');
    await pressEnter(page.getByRole('button', { name: 'Resume the queue' }));
    await until(async () => expect((await client.inbox.get()).items).toEqual([]));
    await page.getByText('Nothing needs you.').waitFor();
    // Somebody else pauses it.
    await client.queue.pause();
    await page.getByRole('article', { name: 'The queue is paused' }).waitFor();
    await client.queue.resume();
    await page.getByText('Nothing needs you.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('shows nothing of other people', async () => {
    const id = await run('A secret plan', 'failing');
    await follow(daemon.client, id);
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    await tab.open('/');
    await tab.page.getByText('Nothing needs you.').waitFor();
    await tab.page.getByRole('heading', { name: 'Completed today 0' }).waitFor();
    expect(await tab.page.getByText('A secret plan').count()).toBe(0);
    const { items } = await daemon.client.dlq.list();
    for (const { id } of items) await daemon.client.dlq.discard({ params: { id } });
  });

  it('shows what an error says, and reads again on request', async () => {
    await notify('Read me');
    await using tab = await openTab(daemon, { width: 390, height: 844 });
    const { page } = tab;
    await page.route('**/api/inbox*', (route) =>
      route.fulfill({ status: 400, json: { error: 'The disk is full', requestId: 'req_1' } }),
    );
    await tab.open('/');
    await page.getByText('The disk is full').waitFor();
    expect(await inspect(tab, 'inbox-error')).toEqual([]);
    await page.unroute('**/api/inbox*');
    await tryAgain(page, page.getByRole('article', { name: 'Read me' }));
    await daemon.client.inbox.markRead({ body: {} });
  });

  it('keeps what it showed while the daemon is away, writes nothing, and is complete after its restart', async () => {
    await notify('Read me later');
    const earlier = held.runs.length;
    const before = await run('Runs across the restart');
    await held.started(earlier);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    const note = page.getByRole('article', { name: 'Read me later' });
    await note.waitFor();
    await page.getByRole('link', { name: /Running Runs across the restart/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const { url, home } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await note.getByRole('button', { name: 'Mark as read' }).isDisabled()).toBe(true);
    expect(await inspect(tab, 'inbox-away')).toEqual([]);
    const runs = held.runs.length;
    daemon = await startDaemon({
      home,
      flags: { 'server.port': Number(new URL(url).port), 'queue.concurrency': 8 },
      extraAdapters: [held.adapter, failing],
    });
    await page.getByText('Live', { exact: true }).waitFor();
    (await held.started(runs)).succeed();
    await follow(daemon.client, before);
    await page.getByRole('link', { name: /Completed Runs across the restart/ }).waitFor();
    await pressEnter(note.getByRole('button', { name: 'Mark as read' }));
    await note.waitFor({ state: 'detached' });
  });
});
