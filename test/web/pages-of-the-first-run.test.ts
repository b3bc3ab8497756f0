import { afterAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { testAdapter } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

describe.skipIf(!hasBrowser)('the pages of the first run (need Chromium)', () => {
  let daemon: TestDaemon;
  const shoeAgent = testAdapter(async () => ({ output: 'It sells shoes.' }), { name: 'Shoe agent' });
  beforeEach(async ({ task }) => {
    daemon = await startDaemon(task.name.includes('the first task') ? { extraAdapters: [shoeAgent] } : {});
  });
  afterEach(() => daemon[Symbol.asyncDispose]());
  afterAll(closeBrowser);

  it('leads from nothing to the first task, by keyboard, and is not offered again', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    const start = page.getByRole('link', { name: 'Set up svc' });
    await start.waitFor();
    expect(await inspect(tab, 'first-run-card')).toEqual([]);
    await start.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Shoe agent').waitFor();
    expect(await inspect(tab, 'first-run-1')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Continue' }));
    const folder = page.getByRole('combobox', { name: 'Folder' });
    await folder.fill('shop');
    await page.keyboard.press('Enter');
    await page.getByText('Enter the whole path').waitFor();
    expect(await inspect(tab, 'first-run-2')).toEqual([]);
    await folder.fill(daemon.home);
    await page.keyboard.press('Enter');
    await page.getByText(daemon.home).waitFor();
    expect(await inspect(tab, 'first-run-3')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Explain what this project does' }));
    await page.getByLabel('What to do').press('Tab');
    await pressEnter(page.getByRole('button', { name: 'Start the first task' }));
    await page.waitForURL('**/tasks/task_*');
    const { tasks } = await daemon.client.tasks.list({ query: { full: true } });
    expect(tasks).toMatchObject([
      { cwd: daemon.home, prompt: 'Explain what this project does and how to run it.' },
    ]);
    await tab.open('/');
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    expect(await start.count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('connects a model provider and says what it answers', async () => {
    await using model = await startModelServer();
    await daemon.client.providers.configure({ params: { type: 'ollama' }, body: { enabled: false } });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/first-run');
    await page.getByLabel('API key').waitFor();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Enter the key.').waitFor();
    expect(await inspect(tab, 'first-run-provider')).toEqual([]);
    await page.getByLabel('Model provider').selectOption('ollama');
    await page.getByLabel('Address').fill('http://127.0.0.1:1');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Address').fill(model.url);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect((await daemon.client.providers.list()).default).toMatchObject({ provider: 'ollama' });
    expect(tab.problems).toEqual([]);
  });

  it('skips every step, and all of them, for good', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/first-run');
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await page.getByRole('button', { name: /^Skip: a new folder/ }).click();
    await page.waitForURL('**/first-run?step=3');
    await page.reload();
    await page.getByText('Step 3 of 3').waitFor();
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Set up svc' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages, tasks and actions' }).fill('set up');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Set up svc' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('is offered until it is declined, and only to administrators', async () => {
    const ann = await addUser(daemon, 'ann');
    await using other = await openTab(daemon, { user: ann });
    await other.open('/');
    await other.page.getByText('Nothing needs you.').waitFor();
    await other.page.getByText('Nothing is running.').waitFor();
    expect(await other.page.getByRole('link', { name: 'Set up svc' }).count()).toBe(0);
    await other.open('/first-run');
    await other.page.getByText('Only administrators').waitFor();
    expect(await inspect(other, 'first-run-user')).toEqual([]);
    await using tab = await openTab(daemon);
    await tab.open('/');
    await tab.page.getByRole('button', { name: 'Not now' }).click();
    await tab.page.getByRole('button', { name: 'Not now' }).waitFor({ state: 'detached' });
    await tab.page.reload();
    await tab.page.getByText('Nothing is running.').waitFor();
    expect(await tab.page.getByRole('link', { name: 'Set up svc' }).count()).toBe(0);
    expect([...tab.problems, ...other.problems]).toEqual([]);
  });
});
