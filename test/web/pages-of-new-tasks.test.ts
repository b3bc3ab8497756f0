import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, untilFocused } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { heldAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil`;

describe.skipIf(!hasBrowser)('the form of a new task (needs Chromium)', () => {
  const held = heldAdapter({ type: 'held', name: 'Held' });
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ extraAdapters: [held.adapter] });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });
  const titled = async (title: string) =>
    (await daemon.client.tasks.list({ query: { full: true } })).tasks.filter((task) => task.title === title);

  it('creates a task by keys with the defaults of a terminal, and opens it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/tasks/new');
    const prompt = page.getByLabel('What to do');
    await untilFocused(page, 'name', 'prompt');
    await page.getByText('The default is Built-in agent. It is not configured').waitFor();
    await page.keyboard.type('Sort the books\nby color');
    await page.getByLabel('Agent', { exact: true }).selectOption('held');
    await prompt.press('Control+Enter');
    await page.waitForURL(/\/tasks\/task_/);
    const [task] = await titled('Sort the books');
    expect(page.url()).toBe(`${daemon.url}/tasks/${task?.id}`);
    expect(task).toMatchObject({
      prompt: 'Sort the books\nby color',
      assignedAgent: 'held',
      priority: 3,
      labels: [],
      source: 'api',
    });
    expect(tab.problems).toEqual([]);
  });

  it('sends every field, and says what the daemon warns of', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/tasks/new');
    await page.getByLabel('What to do').fill('Fix the test');
    await page.getByLabel('Title').fill('All fields');
    await page.getByLabel('Directory').fill('/srv/shop');
    for (const section of await page.locator('summary').all()) await section.click();
    const texts = {
      Time: '1h30m',
      Tokens: '50000',
      'Cost in USD': '$0.50',
      Steps: '20',
      Attempts: '2',
      Commands: 'npm test\n\nnpm run lint',
      Repairs: '1',
      Repository: 'acme/shop',
      Branch: 'fix/test',
      Labels: 'ci, nightly',
      Candidates: '4',
    };
    for (const [label, text] of Object.entries(texts))
      await page
        .getByRole('textbox', { name: label, exact: true })
        .or(page.getByRole('combobox', { name: label, exact: true }))
        .fill(text);
    await page.getByLabel('Priority').selectOption('1');
    await page.getByLabel('Security mode').selectOption('ask');
    await page.getByLabel('Git worktree').selectOption('yes');
    await page.getByLabel('Who chooses').selectOption('person');
    await page.getByRole('checkbox', { name: /^Claude Code/ }).check();
    await page.getByRole('checkbox', { name: /^Codex/ }).check();
    expect(await inspect(tab, 'new-task')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Create task' }));
    await page.getByText('Task created.').waitFor();
    await page.getByText('The task waits for an agent.').first().waitFor();
    const [task] = await titled('All fields');
    expect(task).toMatchObject({
      cwd: '/srv/shop',
      maxTimeMs: 5_400_000,
      maxBudget: 50_000,
      maxCostUsd: '0.50',
      maxSteps: 20,
      maxAttempts: 2,
      verify: ['npm test', 'npm run lint'],
      repair: 1,
      repository: 'acme/shop',
      branch: 'fix/test',
      worktree: true,
      labels: ['ci', 'nightly'],
      priority: 1,
      securityMode: 'ask',
      bestOf: { count: 4, agents: ['claude', 'codex'], pick: 'person' },
    });
    await page.getByRole('link', { name: 'Open the task' }).click();
    await page.waitForURL(`**/tasks/${task?.id}`);
    expect(tab.problems).toEqual([]);
  });

  it('shows what is wrong beside the fields', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/tasks/new');
    const submit = page.getByRole('button', { name: 'Create task' });
    await submit.click();
    await page.getByText('Say what to do.').waitFor();
    await untilFocused(page, 'name', 'prompt');
    await page.getByLabel('What to do').fill('x');
    await page.getByText('Model and limits').click();
    await page.getByLabel('Cost in USD').fill('much');
    await page.getByLabel('Time', { exact: true }).fill('long');
    await page.locator('summary', { hasText: 'Repository' }).click();
    await page.getByRole('combobox', { name: 'Repository' }).fill('shop');
    // What is wrong is shown, also where it was folded.
    await page.getByText('Repository', { exact: true }).first().click();
    await submit.click();
    await page.getByText('Expected a duration').waitFor();
    await page.getByLabel('Time', { exact: true }).fill('');
    await submit.click();
    await page.getByText('Expected an amount in USD such as 0.50').waitFor();
    await page.getByText('Expected owner/repo').waitFor({ state: 'attached' });
    await page.getByText('Check the marked fields.').waitFor();
    await untilFocused(page, 'name', 'maxCostUsd');
    expect(await inspect(tab, 'new-task-problems')).toEqual([]);
    await page.getByLabel('Cost in USD').fill('1');
    await submit.click();
    await page.getByText('Expected owner/repo').waitFor();
    await untilFocused(page, 'name', 'repository');
    expect(await titled('x')).toEqual([]);
  });

  it('creates one task of one form, however often it is sent', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/tasks/new');
    await page.getByLabel('What to do').fill('Only once');
    await page.getByLabel('Agent', { exact: true }).selectOption('held');
    // The daemon creates the task, and its answer is lost.
    await page.route('**/api/tasks', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const submit = page.getByRole('button', { name: 'Create task' });
    await submit.click();
    await page.getByText('The daemon cannot be reached.').waitFor();
    await page.unrouteAll();
    await page.getByLabel('What to do').fill('Only once, but other');
    await submit.click();
    await page.getByText('An earlier try has created the task').waitFor();
    await page.getByLabel('What to do').fill('Only once');
    await submit.dblclick();
    await page.waitForURL(/\/tasks\/task_/);
    expect((await titled('Only once')).map(({ id }) => `${daemon.url}/tasks/${id}`)).toEqual([page.url()]);
    expect(await titled('Only once, but other')).toEqual([]);
  });

  it('creates a schedule after it has shown its next runs', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/tasks/new');
    await page.getByLabel('What to do').fill(hostile);
    await page.getByLabel('Repeatedly').check();
    await page.getByLabel('Cron expression').fill('60 9 * * *');
    await page.getByText('"60" is no minute.').waitFor();
    await page.getByLabel('Cron expression').fill('30 9 * * 1');
    await page.getByText('Next runs, in UTC:').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Mon.*09:30/ })
      .nth(4)
      .waitFor();
    expect(await inspect(tab, 'new-task-schedule')).toEqual([]);
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: /^Schedule “<img/ }).waitFor();
    const { schedules } = await daemon.client.schedules.list();
    expect(schedules).toMatchObject([{ cron: '30 9 * * 1', timezone: 'UTC', task: { prompt: hostile } }]);
    await page.getByRole('button', { name: 'Create another' }).click();
    await page.getByLabel('What to do').fill('Once');
    await page.getByLabel('Once, later').check();
    await page.getByLabel('Time', { exact: true }).first().fill('2020-01-01T10:00');
    await page.getByText('Expected a time in the future').waitFor();
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('Check the marked fields.').waitFor();
    expect((await daemon.client.schedules.list()).total).toBe(1);
  });

  it('offers to others only what they may do, and nothing of what others did', async () => {
    const ann = await addUser(daemon, 'ann');
    await daemon.client.tasks.create({ body: { title: 'x', labels: ['secret-label'] } });
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/tasks/new');
    await page.getByText('which only administrators may.').waitFor();
    expect(await page.getByLabel('Directory').count()).toBe(0);
    const option = page.getByRole('option', { name: 'Command · for administrators' });
    await until(async () => expect(await option.isDisabled()).toBe(true));
    expect(await page.locator('option[value=secret-label]').count()).toBe(0);
    await page.getByLabel('What to do').fill('Of Ann');
    await page.getByLabel('Agent', { exact: true }).selectOption('held');
    await page.getByRole('button', { name: 'Create task' }).click();
    await page.waitForURL(/\/tasks\/task_/);
    expect(tab.problems).toEqual([]);
  });

  it('keeps what was typed while the daemon is away', async () => {
    const before = await startDaemon();
    await using tab = await openTab(before);
    const { page } = tab;
    await tab.open('/tasks/new');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('What to do').fill('Survive');
    await before.stop();
    const submit = page.getByRole('button', { name: 'Create task' });
    await until(async () => expect(await submit.isDisabled()).toBe(true));
    const { port } = new URL(before.url);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await until(async () => expect(await submit.isEnabled()).toBe(true));
    await submit.click();
    await page.getByText('Task created.').waitFor();
    expect((await after.client.tasks.list()).tasks.map(({ title }) => title)).toEqual(['Survive']);
  });
});
