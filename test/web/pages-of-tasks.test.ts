import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { newApproval } from '../helpers/approvals.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { addManyTasks } from '../helpers/many-tasks.ts';
import { heldAdapter, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31mred ${'long'.repeat(90)}`;
const MANY = 100_000;

describe.skipIf(!hasBrowser)('the tasks (needs Chromium)', () => {
  const held = heldAdapter({ type: 'held' });
  let daemon: TestDaemon;
  let ann: TestUser;
  beforeAll(async () => {
    daemon = await startDaemon({ extraAdapters: [held.adapter] });
    ann = await addUser(daemon, 'ann');
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  /** A task that no agent can take yet. */
  const wait = async ({ client }: Pick<TestUser, 'client'>, title: string, labels: string[] = []) =>
    (await client.tasks.create({ body: { title, prompt: 'x', labels } })).task;
  /** A task whose agent works until the test ends it. */
  const run = async ({ client }: Pick<TestUser, 'client'>, title: string) => {
    const index = held.runs.length;
    const { task } = await client.tasks.create({ body: { title, prompt: 'x', assignedAgent: 'held' } });
    return { task, held: await held.started(index) };
  };

  it('says how to create the first one, and key c does', async () => {
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/tasks');
    await page.getByText('There are no tasks yet.').waitFor();
    expect(await page.getByText('svc run "what to do"').count()).toBe(1);
    expect(await inspect(tab, 'tasks-empty')).toEqual([]);
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'New task', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Create a task' }).click();
    await page.waitForURL('**/tasks/new');
    expect(tab.problems).toEqual([]);
  });

  it('shows rows as they change, without a reload', async () => {
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/tasks');
    await page.getByText('Live', { exact: true }).waitFor();
    const { held: work } = await run(ann, 'Paint the fence');
    await page.getByRole('link', { name: /Running Paint the fence/ }).waitFor();
    work.succeed();
    await page.getByRole('link', { name: /Completed Paint the fence/ }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('moves, opens and selects by keys, and acts on many after a question', async () => {
    const [third, second, first] = [
      await wait(ann, 'Third'),
      await wait(ann, 'Second'),
      await wait(ann, 'First'),
    ];
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    const focused = () => page.evaluate('document.activeElement.textContent');
    await tab.open('/tasks?status=pending,queued');
    await page.getByRole('link', { name: /First/ }).waitFor();
    await page.keyboard.press('j');
    await until(async () => expect(await focused()).toContain('First'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First', level: 2 }).waitFor();
    await page.waitForURL(`**peek=${first.id}**`);
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Second', level: 2 }).waitFor();
    expect(await page.getByText('The task waits for an agent').count()).toBe(0);
    expect(await inspect(tab, 'tasks-peek')).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Second', level: 2 }).waitFor();
    await page.getByRole('link', { name: /Second/ }).press('Enter');
    await page.waitForURL(`**/tasks/${second.id}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Second', level: 2 }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Second', level: 2 }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: /First/ }).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 tasks selected').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Cancel 2' }));
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 tasks?' });
    await dialog.waitFor();
    expect(await inspect(tab, 'tasks-bulk')).toEqual([]);
    // Somebody else was faster with one of them.
    await ann.client.tasks.cancel({ params: { id: second.id } });
    await pressEnter(dialog.getByRole('button', { name: 'Cancel 2 tasks' }));
    await page.getByText('1 of 2 cancelled. 1 failed.').waitFor();
    await page.getByText('A task that is cancelled cannot be cancelled').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Close' }));
    await page.getByText('1 task selected').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect((await ann.client.tasks.get({ params: { id: first.id } })).task.status).toBe('cancelled');

    await tab.open(`/tasks?peek=${third.id}`);
    const panel = page.getByRole('region', { name: 'Third' });
    await pressEnter(panel.getByRole('button', { name: 'Cancel' }));
    await panel.getByRole('button', { name: 'Retry' }).waitFor();
    await panel.getByText('Cancelled', { exact: true }).first().waitFor();
    await pressEnter(panel.getByRole('button', { name: 'Retry' }));
    await page.waitForURL((url) => !url.href.includes(third.id));
    await page.getByRole('region', { name: 'Third' }).getByRole('button', { name: 'Cancel' }).waitFor();
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('filters by the address, and keeps filters under names for each person', async () => {
    await wait(ann, 'Water the roses', ['garden', 'daily']);
    await wait(ann, 'Water the cactus', ['garden']);
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    const rows = page.getByRole('region', { name: 'List of tasks' }).getByRole('link');
    await tab.open('/tasks');
    await rows.first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('water');
    await page.waitForURL('**/tasks?q=water');
    await until(async () => expect(await rows.count()).toBe(2));
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Labels').fill('daily');
    await page.getByLabel('Labels').press('Enter');
    await page.waitForURL('**/tasks?q=water&label=daily');
    await until(async () => expect(await rows.count()).toBe(1));
    await page.reload();
    await page.getByRole('link', { name: /Water the roses/ }).waitFor();
    await until(async () => expect(await page.getByLabel('Search tasks').inputValue()).toBe('water'));

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Name of this filter').fill('Roses');
    await page.getByLabel('Name of this filter').press('Enter');
    await page.getByText('This filter is saved.').waitFor();
    await page.getByLabel('Rename Roses').fill('My roses');
    await page.getByLabel('Rename Roses').press('Enter');
    await page.getByRole('link', { name: 'Failed' }).click();
    await page.getByRole('link', { name: 'My roses' }).click();
    await page.waitForURL('**/tasks?q=water&label=daily');
    await page.getByRole('button', { name: 'Delete My roses' }).click();
    await page.getByRole('link', { name: 'My roses' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'My roses' }).waitFor();

    await page.getByRole('link', { name: 'Cancelled' }).click();
    await page.getByText('No task matches this filter.').waitFor();
    await page.getByRole('link', { name: 'Clear the filter' }).click();
    await page.waitForURL('**/tasks');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('held');
    await page.waitForURL('**/tasks?agent=held');
    await until(async () => expect(await rows.count()).toBe(1));

    // The next person at this browser.
    const bob = await addUser(daemon, 'bob');
    const [name = '', value = ''] = bob.headers.cookie.split('=');
    await tab.context.addCookies([{ name, value, url: daemon.url }]);
    await tab.open('/tasks');
    await page.getByText('There are no tasks yet.').waitFor();
    expect(await page.getByRole('link', { name: 'My roses' }).count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('shows a board whose columns are states', async () => {
    const { task: asking, held: asks } = await run(ann, 'Ask before it deletes');
    const { held: works } = await run(ann, 'Work alone');
    await daemon.app.approvals.request(
      newApproval({ owner_id: 'user_ann', task_id: asking.id, scope_id: asking.id }),
    );
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    await tab.open('/tasks?view=board');
    await column('Needs you').getByRole('link', { name: 'Ask before it deletes' }).waitFor();
    await column('Needs you').locator('[data-status=needs-you]').waitFor();
    await column('Running').getByRole('link', { name: 'Work alone' }).waitFor();
    expect(await column('Running').getByText('Ask before it deletes').count()).toBe(0);
    await column('Done').getByRole('link', { name: 'Paint the fence' }).waitFor();
    expect(await inspect(tab, 'tasks-board')).toEqual([]);
    works.succeed();
    await column('Done').getByRole('link', { name: 'Work alone' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close' }).waitFor();
    await page.keyboard.press('Escape');
    await column('Needs you').getByRole('button', { name: 'Cancel' }).click();
    await column('Done').getByRole('link', { name: 'Ask before it deletes' }).waitFor();
    await column('Waiting')
      .getByRole('link', { name: /^Show all/ })
      .click();
    await page.waitForURL('**/tasks?status=pending%2Cqueued');
    asks.succeed();
    expect(tab.problems).toEqual([]);
  });

  it('shows hostile titles as text, and nothing of other people', async () => {
    const task = await wait(ann, hostile, ['<b>bold</b>']);
    const eve = await addUser(daemon, 'eve');
    await wait(eve, 'Plans of Eve');
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/tasks');
    const row = page.getByRole('link', { name: /<img src=x onerror=alert\(1\)>/ });
    await row.waitFor();
    expect(await row.innerText()).toContain(String.raw`\u{202e}evil\u{202c} \x1b[31mred`);
    expect(await page.getByText('Plans of Eve').count()).toBe(0);
    await row.click();
    await page.getByRole('heading', { level: 2, name: /<img/ }).waitFor();
    await page.getByRole('checkbox', { name: /<img/ }).check();
    await page.getByRole('button', { name: 'Filters' }).click();
    expect(await inspect(tab, 'tasks-hostile')).toEqual([]);
    expect(tab.problems).toEqual([]);
    await using other = await openTab(daemon, { user: eve });
    await other.open(`/tasks?peek=${task.id}`);
    await other.page.getByText('Plans of Eve').waitFor();
    await other.page.getByRole('alert').waitFor();
    expect(await other.page.getByText('evil').count()).toBe(0);
  });

  it('says why there is no list, and tries again', async () => {
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await page.route('**/api/tasks/filter?*', (route) =>
      route.fulfill({ status: 400, json: { error: 'The list is broken', requestId: 'req_1' } }),
    );
    await tab.open('/tasks');
    await page.getByRole('alert').getByText('The list is broken').waitFor();
    await page.unrouteAll();
    await tryAgain(page, page.getByRole('region', { name: 'List of tasks' }));
  });

  it('keeps what it shows while the daemon is away, and is complete afterwards', async () => {
    const before = await startDaemon();
    const { port } = new URL(before.url);
    await wait(before, 'Before');
    await using tab = await openTab(before);
    const { page } = tab;
    await tab.open('/tasks');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Before' }).check();
    await before.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await page.getByRole('link', { name: /Before/ }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Cancel 1' }).isDisabled()).toBe(true);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await wait(after, 'Afterwards');
    await page.getByRole('link', { name: /Afterwards/ }).waitFor();
    const cancel = page.getByRole('button', { name: 'Cancel 1' });
    await until(async () => expect(await cancel.isEnabled()).toBe(true));
  });

  it(`has few elements with ${MANY} tasks, and its end is one key away`, async () => {
    await addManyTasks(daemon, MANY);
    await using tab = await openTab(daemon);
    const { page } = tab;
    const elements = () => page.evaluate(`document.querySelectorAll('*').length`);
    const read: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/tasks/filter')) read.push(request.url());
    });
    await tab.open('/tasks?q=&agent=noop');
    const row = (title: string) => page.getByRole('link', { name: new RegExp(`Completed ${title} `) });
    await row(`Task ${MANY}`).waitFor();
    await page.getByText('100,000', { exact: false }).first().waitFor();
    expect(await elements()).toBeLessThan(600);
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await row('Task 1').waitFor();
    await until(async () =>
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Task 1many'),
    );
    expect(await elements()).toBeLessThan(600);
    // Not one for each of the thousand parts in between.
    expect(read.length).toBeLessThan(10);

    // Who reads in the middle is not moved by what comes above.
    await page.evaluate(
      `document.querySelector('[data-scroll-restoration-id=tasks]').scrollTo(0, ${44 * 50_000})`,
    );
    const middle = row('Task 49995');
    await middle.waitFor();
    const position = async () =>
      Number(await page.getByRole('listitem').filter({ has: middle }).getAttribute('aria-posinset'));
    const [place, before] = [await middle.boundingBox(), await position()];
    await daemon.client.tasks.create({ body: { title: 'New one', assignedAgent: 'noop' } });
    await until(async () => expect(await position()).toBe(before + 1));
    await until(async () => expect((await middle.boundingBox())?.y).toBe(place?.y));
    expect(tab.problems).toEqual([]);
  });
});
