import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../src/contract/webhooks.ts';
import { type LoopbackServer, startLoopbackServer } from '../core/outbound/loopback-server.ts';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, untilFocused } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

describe.skipIf(!hasBrowser)('the pages of webhooks (need Chromium)', () => {
  let receiver: LoopbackServer;
  let answer = 204;
  let body = '';
  let daemon: TestDaemon;
  const options = {
    extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
    flags: { 'outbound.allowPrivate': ['127.0.0.1/32'] },
  };
  beforeAll(async () => {
    receiver = await startLoopbackServer((response) => response.writeHead(answer).end(body));
  });
  beforeEach(async () => {
    answer = 204;
    body = '';
    receiver.requests.length = 0;
    daemon = await startDaemon(options);
  });
  afterEach(() => daemon[Symbol.asyncDispose]());
  afterAll(async () => {
    await closeBrowser();
    await receiver[Symbol.asyncDispose]();
  });
  const create = async (events: WebhookEvent[] = ['task.completed'], description?: string) =>
    (
      await daemon.client.webhooks.create({
        body: { url: `${receiver.url}/hook`, events, ...(description && { description }) },
      })
    ).webhook;

  it('adds a webhook by keyboard, shows its secret once and tries it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByText('A webhook sends events').waitFor();
    expect(await inspect(tab, 'webhooks-empty')).toEqual([]);
    await page.getByRole('link', { name: 'Add the first webhook' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').waitFor();
    await page.waitForURL('**/webhooks?add=true');
    await untilFocused(page, 'name', 'url');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter an address.').waitFor();
    expect(await inspect(tab, 'webhooks-add')).toEqual([]);
    await dialog.getByLabel('Address').fill('http://169.254.169.254/latest');
    await page.keyboard.press('Enter');
    await dialog.locator('input[name=url][aria-invalid=true]').waitFor();
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByLabel('Name').fill('My program');
    await dialog.getByLabel('task.created').focus();
    await page.keyboard.press('Space');
    await dialog.getByLabel('Name').press('Enter');
    await dialog.getByText('shown only once').waitFor();
    expect(await dialog.getByRole('group', { name: 'secret' }).textContent()).toMatch(/^whsec_/);
    expect(await inspect(tab, 'webhooks-secret')).toEqual([]);
    await pressEnter(dialog.getByRole('button', { name: 'Send test' }));
    await dialog.getByText('Delivered: HTTP 204').waitFor();
    expect(receiver.requests).toHaveLength(1);
    await dialog.getByRole('link', { name: 'Show webhook' }).press('Enter');
    await page.getByRole('heading', { name: 'My program' }).waitFor();
    await page.reload();
    await page
      .getByText('task.created, task.completed')
      .or(page.getByText('task.completed'))
      .first()
      .waitFor();
    await page.getByText('webhook.test').waitFor();
    expect(await page.content()).not.toMatch(/whsec_[A-Za-z0-9+/]{20}/);
    const { webhooks } = await daemon.client.webhooks.list();
    expect(webhooks[0]?.events.toSorted()).toEqual([
      'approval.requested',
      'task.completed',
      'task.created',
      'task.failed',
    ]);
    // Chromium logs the refused address.
    expect(tab.problems.filter((line) => !line.includes('400'))).toEqual([]);
  });

  it('shows each delivery with its attempts and the answer, and sends it again', async () => {
    const { id } = await create(['task.completed']);
    answer = 500;
    body = '<b>broken</b> \u202e \u001b[31mred';
    await daemon.client.webhooks.sendTest({ params: { id } });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/webhooks/${id}?status=failed`);
    await page.getByText('Not delivered: The receiver answered 500.').waitFor();
    const current = page.getByRole('group', { name: 'Status' }).locator('[aria-current]');
    await until(async () => expect(await current.allTextContents()).toEqual(['Failed']));
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await until(async () => expect(await current.allTextContents()).toEqual(['All']));
    await page.getByRole('link', { name: /^Details of webhook.test/ }).press('Enter');
    const response = page.locator('pre');
    await response.waitFor();
    expect(await current.allTextContents()).toEqual(['All']);
    expect(await response.textContent()).toBe(String.raw`<b>broken</b> \u{202e} \x1b[31mred`);
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
    await until(async () => expect(await attempts.count()).toBe(1));
    expect(await inspect(tab, 'webhook-failed')).toEqual([]);
    await page.reload();
    await response.waitFor();
    answer = 204;
    body = '';
    await pressEnter(page.getByRole('button', { name: 'Redeliver' }));
    await page.getByText('Delivered: HTTP 204').waitFor();
    expect(receiver.requests).toHaveLength(2);
    expect(tab.problems).toEqual([]);
  });

  it('says why a webhook was stopped, and turns it on', async () => {
    const { id } = await create();
    answer = 500;
    await daemon.client.webhooks.sendTest({ params: { id } });
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('webhooks')
        .set({ status: 'failing', failing_since: new Date().toISOString(), failure_count: 6 })
        .where('id', '=', id)
        .execute(),
    );
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/webhooks');
    await page.getByText('Stopped after failures').waitFor();
    expect(await inspect(tab, 'webhooks-stopped')).toEqual([]);
    await page.getByRole('list', { name: 'Webhooks' }).getByRole('link').click();
    await page.getByText('svc stopped sending').waitFor();
    await page.getByText('Mend the receiver').waitFor();
    expect(await inspect(tab, 'webhook-stopped')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: /^Turn on/ }));
    await page.getByText('Active', { exact: true }).waitFor();
    await pressEnter(page.getByRole('button', { name: /^Pause/ }));
    await page.getByText('Paused: events are neither').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('edits, rotates and deletes with a way back', async () => {
    const { id } = await create(['task.failed'], 'Pager');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/webhooks/${id}`);
    await pressEnter(page.getByRole('button', { name: 'Edit' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Phone');
    await dialog.getByLabel('Format').selectOption('text');
    expect(await inspect(tab, 'webhook-edit')).toEqual([]);
    await pressEnter(dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('heading', { name: 'Phone' }).waitFor();
    await pressEnter(page.getByRole('button', { name: 'Rotate secret' }));
    await pressEnter(dialog.getByRole('button', { name: 'Rotate secret' }));
    await dialog.getByText('shown only once').waitFor();
    await dialog.getByText('The previous secret also signs until').waitFor();
    await pressEnter(dialog.getByRole('button', { name: 'Done' }));
    await pressEnter(page.getByRole('button', { name: 'Delete' }));
    await page.getByText('Phone deleted.').waitFor();
    await page.getByText('A webhook sends events').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('link', { name: 'Phone' }).waitFor();
    expect((await daemon.client.webhooks.list()).webhooks).toMatchObject([{ id, format: 'text' }]);
    await page.getByRole('link', { name: 'Phone' }).click();
    await pressEnter(page.getByRole('button', { name: 'Delete' }));
    await page.getByText('Phone deleted.').waitFor();
    await page.close({ runBeforeUnload: true });
    await until(async () => expect((await daemon.client.webhooks.list()).webhooks).toEqual([]));
  });

  it('shows what is sent while somebody looks, through a restart of the daemon', async () => {
    const { id } = await create(['task.completed']);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/webhooks/${id}`);
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await daemon.client.tasks.create({ body: { title: 'one', assignedAgent: 'test' } });
    await page.getByText('Delivered: HTTP 204').waitFor();
    const { home, url } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await page.getByRole('button', { name: 'Send test' }).isDisabled()).toBe(true);
    await page.getByText('Delivered: HTTP 204').waitFor();
    daemon = await startDaemon({
      ...options,
      home,
      flags: { ...options.flags, 'server.port': Number(new URL(url).port) },
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await daemon.client.tasks.create({ body: { title: 'two', assignedAgent: 'test' } });
    await until(async () => expect(await page.getByText('Delivered: HTTP 204').count()).toBe(2));
  });

  it('shows a user their own webhooks only, and text of people as text', async () => {
    await create(['task.failed'], 'Of the owner');
    const ann = await addUser(daemon, 'ann');
    await ann.client.webhooks.create({
      body: { url: `${receiver.url}/ann`, events: ['task.failed'], description: '<img src=x> \u202egnp' },
    });
    await using tab = await openTab(daemon, { user: ann });
    await tab.open('/webhooks');
    await tab.page.getByText(String.raw`<img src=x> \u{202e}gnp`).waitFor();
    expect(await tab.page.getByText('Of the owner').count()).toBe(0);
    expect(await tab.page.getByRole('link', { name: 'Incoming' }).count()).toBe(0);
    expect(await inspect(tab, 'webhooks-of-ann')).toEqual([]);
    await tab.open('/webhooks/wh_unknown');
    await tab.page.getByText('Webhook not found').waitFor();
    expect(tab.problems.filter((line) => !line.includes('404'))).toEqual([]);
  });
});
