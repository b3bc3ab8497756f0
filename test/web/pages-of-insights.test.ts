import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

describe.skipIf(!hasBrowser)('the page of insights (needs Chromium)', () => {
  let daemon: TestDaemon;
  const held = heldAdapter({ type: 'held' });
  const extraAdapters = [
    held.adapter,
    testAdapter(
      async () => ({
        output: 'done',
        model: 'opus<b>\u202e',
        usage: { inputTokens: 8000, outputTokens: 120, totalTokens: 8120 },
        cost: '0.25',
      }),
      { type: 'costly' },
    ),
    { ...failingAdapter('auth'), type: 'failing' },
  ];
  beforeEach(async () => {
    daemon = await startDaemon({ extraAdapters });
  });
  afterEach(() => daemon[Symbol.asyncDispose]());
  afterAll(closeBrowser);

  async function ran(agent: string): Promise<void> {
    const { task } = await daemon.client.tasks.create({
      body: { title: agent, assignedAgent: agent, maxAttempts: 1 },
    });
    await follow(daemon.client, task.id);
  }

  it('says what will be here while there is no task, and pauses the queue', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/insights');
    await page.getByText('Numbers about your tasks are shown here').waitFor();
    await page.getByRole('heading', { name: 'Queue now' }).waitFor();
    await page.getByRole('columnheader', { name: 'Slots' }).waitFor();
    expect(await inspect(tab, 'insights-empty')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Pause the queue' }));
    await page.getByText('Paused: nothing new starts').waitFor();
    expect((await daemon.client.queue.getStatus()).paused).toBe(true);
    await pressEnter(page.getByRole('button', { name: 'Resume the queue' }));
    await page.getByRole('button', { name: 'Pause the queue' }).waitFor();
    expect((await daemon.client.queue.getStatus()).paused).toBe(false);
    expect(tab.problems).toEqual([]);
  });

  it('shows throughput, duration, failures, tokens and cost, also as tables, in every theme', async () => {
    await ran('costly');
    await ran('costly');
    await ran('failing');
    // Some days of the past.
    await daemon.app.database.write(({ db }) =>
      db
        .insertInto('task_days')
        .values(
          Array.from({ length: 20 }, (_, ago) => ({
            owner_id: 'user_owner',
            day: new Date(Date.now() - (ago + 1) * 86_400_000).toISOString().slice(0, 10),
            created: 12,
            completed: (ago * 7) % 11,
            failed: ago % 4,
          })),
        )
        .execute(),
    );
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/insights');
    await page.locator('canvas').nth(3).waitFor();
    const failures = page.getByRole('region', { name: 'Failures by cause' });
    await failures.getByText('Sign-in refused').waitFor();
    const usage = page.getByRole('region', { name: 'Tokens and cost' });
    const costly = usage.getByRole('row', { name: /^costly/ });
    await until(async () => expect(await costly.textContent()).toBe('costly216.2k$0.50'));
    await usage.getByText(String.raw`opus<b>\u{202e}`).waitFor();
    expect(await inspect(tab, 'insights')).toEqual([]);
    const tasks = page.getByRole('region', { name: 'Tasks per day', exact: true });
    await tasks.getByText('Show as a table').focus();
    await page.keyboard.press('Enter');
    const today = tasks.getByRole('row').nth(1);
    await until(async () => expect(await today.locator('td').allTextContents()).toEqual(['2', '1']));
    expect(await inspect(tab, 'insights-table')).toEqual([]);
    await page.getByRole('link', { name: '7 days' }).press('Enter');
    await page.waitForURL('**/insights?days=7');
    await page.reload();
    await page.locator('canvas').nth(3).waitFor();
    expect(await tasks.getByRole('img').getAttribute('aria-label')).toContain('Tasks per day, from');
    expect(tab.problems).toEqual([]);
  });

  it('counts what runs while somebody looks, and stays through a restart', async () => {
    await ran('costly');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/insights');
    await page.locator('canvas').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const before = held.runs.length;
    await daemon.client.tasks.create({ body: { title: 'long', assignedAgent: 'held' } });
    const { succeed } = await held.started(before);
    const pool = page.getByRole('region', { name: 'Queue now' }).getByRole('row', { name: /^Tasks 1/ });
    await pool.waitFor();
    succeed();
    await pool.waitFor({ state: 'detached' });
    const { home, url } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await page.locator('canvas').count()).toBeGreaterThan(0);
    daemon = await startDaemon({ extraAdapters, home, flags: { 'server.port': Number(new URL(url).port) } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('of 2 new tasks').waitFor();
  });

  it('counts only the tasks of the person', async () => {
    await ran('costly');
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    await tab.open('/insights');
    await tab.page.getByText('Numbers about your tasks').waitFor();
    expect(await tab.page.getByText('costly').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });
});
