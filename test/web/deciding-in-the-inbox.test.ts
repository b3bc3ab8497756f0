import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApproval } from '../helpers/approvals.ts';
import { closeBrowser, hasBrowser, inspect, openTab, untilFocused } from '../helpers/browser.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer } from '../helpers/model-server.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m`;

describe.skipIf(!hasBrowser)('the inbox (needs Chromium)', () => {
  let daemon: TestDaemon;
  let model: ModelServer;
  beforeAll(async () => {
    ({ daemon, model } = await startModelDaemon());
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  /** A task whose agent asks for one call. */
  async function ask(title: string, args: Record<string, unknown>) {
    model.script = callsTools([[{ name: 'write_file', args }]]);
    const { task } = await daemon.client.tasks.create({
      body: { title, prompt: 'Write it.', assignedAgent: 'builtin', securityMode: 'ask' },
    });
    const approval = await until(async () => {
      const { approvals } = await daemon.client.approvals.list();
      const found = approvals.find(({ taskId }) => taskId === task.id);
      if (!found) throw new Error('there is no approval yet');
      return found;
    });
    return { task, approval };
  }

  it('says what it is for while it is empty', async () => {
    await using tab = await openTab(daemon);
    await tab.open('/');
    await tab.page.getByText('Nothing needs you.').waitFor();
    await tab.page.getByText('Nothing is running.').waitFor();
    expect(await inspect(tab, 'inbox-empty')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows a call that waits as it would run, and a decision by keys runs it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByText('Nothing needs you.').waitFor();
    const { task } = await ask('Write the changelog', {
      path: 'CHANGELOG.md',
      content: `# 1.4.0\n${hostile}`,
    });
    const card = page.getByRole('article', { name: 'Allow write_file?' });
    await card.waitFor();
    await until(async () => expect(await page.title()).toBe('(1) svc'));
    await page.locator('link[rel=icon][href="/icon-waiting.svg"]').waitFor({ state: 'attached' });
    const text = await card.innerText();
    expect(text).toContain('<img src=x onerror=alert(1)>');
    expect(text).toContain(String.raw`\u{202e}evil`);
    expect(text).toContain(String.raw`\x1b[31m`);
    expect(await inspect(tab, 'inbox')).toEqual([]);
    await card.focus();
    await page.keyboard.press('a');
    await untilFocused(page, 'textContent', 'Allow once');
    // The first moment after the buttons appeared does not count.
    await until(async () => {
      await page.keyboard.press('Enter');
      expect(await page.getByText('Nothing needs you.').count()).toBe(1);
    });
    await page.getByRole('link', { name: /Completed Write the changelog/ }).waitFor();
    await until(async () =>
      expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('completed'),
    );
    expect(tab.problems).toEqual([]);
  });

  it('denies with a reason on the page of the approval, and shows who decided', async () => {
    const { approval } = await ask('Write elsewhere', { path: 'other.md', content: 'x' });
    await using tab = await openTab(daemon, { width: 390, height: 844 });
    const { page } = tab;
    await tab.open(`/approvals/${approval.id}`);
    await page.getByRole('button', { name: 'Deny with a reason' }).waitFor();
    expect(await inspect(tab, 'approval')).toEqual([]);
    await page.getByRole('button', { name: 'Deny with a reason' }).click();
    await page.getByLabel('Why not?').fill('not in this folder');
    await page.getByLabel('Why not?').press('Enter');
    await page.getByText(/^Denied/).waitFor();
    const { approvals } = await daemon.client.approvals.list({ query: { status: 'all' } });
    expect(approvals.find(({ id }) => id === approval.id)).toMatchObject({
      status: 'denied',
      denialReason: 'not in this folder',
    });
    await page.reload();
    await page.getByText(/^Denied/).waitFor();
  });

  it('offers to always allow a call only where that covers something', async () => {
    const rows = [
      newApproval({ task_id: null, covers: 'nothing: such a command needs an approval each time' }),
      newApproval({
        task_id: null,
        binding: 'two',
        call_id: 'call_2',
        covers: 'npm test',
        covers_key: 'key',
      }),
    ];
    await using tab = await openTab(daemon);
    const { page } = tab;
    const always = page.getByRole('button', { name: 'Always allow' });
    for (const [at, row] of rows.entries()) {
      const { id } = await daemon.app.approvals.request(row);
      await tab.open(`/approvals/${id}`);
      const says = ['is not offered: such a command needs an approval each time.', 'covers npm test.'][at];
      await page.getByText(`“Always allow” ${says}`).waitFor();
      await until(async () => expect(await always.count()).toBe(at));
      await daemon.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
    }
    expect(tab.problems).toEqual([]);
  });

  it('shows nothing of other people', async () => {
    await ask('A secret plan', { path: 'plan.md', content: 'x' });
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    await tab.open('/');
    await tab.page.getByText('Nothing needs you.').waitFor();
    expect(await tab.page.getByText('A secret plan').count()).toBe(0);
    const { approvals } = await daemon.client.approvals.list();
    await tab.open(`/approvals/${approvals[0]?.id}`);
    await tab.page.getByRole('alert').waitFor();
    for (const { id } of approvals)
      await daemon.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
  });

  it('retries dead letters, and discards them unless that is undone', async () => {
    for (const title of ['One', 'Two', 'Three'])
      await daemon.client.tasks.create({
        body: { title, prompt: 'exit 3', assignedAgent: 'command', maxAttempts: 1 },
      });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/dead-letters');
    await page.getByText('3 tasks').waitFor();
    expect(await inspect(tab, 'dead-letters')).toEqual([]);
    const card = page.getByRole('article', { name: 'Two' });
    await card.getByRole('button', { name: 'Discard' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await card.waitFor();
    await card.getByRole('button', { name: 'Discard' }).click();
    await card.waitFor({ state: 'detached' });
    // Leaving the page does what was not undone.
    await page.goto('about:blank');
    await until(async () => {
      const { items } = await daemon.client.dlq.list({ query: { status: 'discarded' } });
      expect(items.map(({ title }) => title)).toEqual(['Two']);
    });
    await tab.open('/dead-letters');
    await page.getByText('2 tasks').waitFor();
    await page.getByRole('button', { name: 'Select all 2' }).click();
    await page.getByRole('button', { name: 'Discard 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard 2' }).click();
    await page.getByText('2 tasks discarded.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Tasks that exhaust their attempts').waitFor();
    expect(tab.problems).toEqual([]);
  });
});
