import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeBrowser,
  hasBrowser,
  inspect,
  openTab,
  pressEnter,
  tryAgain,
  untilFocused,
} from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { heldAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m`;
const nightly = {
  name: 'Nightly backup',
  cron: '30 2 * * 1-5',
  timezone: 'Europe/Berlin',
  task: { title: 'Check the backups', prompt: 'Check the backups', assignedAgent: 'held' },
};

describe.skipIf(!hasBrowser)('the pages of schedules (needs Chromium)', () => {
  const held = heldAdapter({ type: 'held', name: 'Held' });
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ extraAdapters: [held.adapter] });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });
  const add = async (body: Parameters<typeof daemon.client.schedules.create>[0]['body']) =>
    (await daemon.client.schedules.create({ body })).schedule;
  const listed = async () => (await daemon.client.schedules.list()).schedules;
  const clear = async () => {
    for (const { id } of await listed()) await daemon.client.schedules.delete({ params: { id } });
  };

  it('creates one schedule with every field by keys, and opens it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/schedules');
    await page.getByText('A schedule creates tasks at set times').waitFor();
    expect(await inspect(tab, 'schedules-empty')).toEqual([]);
    await page.getByRole('link', { name: 'Create the first schedule' }).press('Enter');
    await page.waitForURL('**/schedules/new');
    const submit = page.getByRole('button', { name: 'Create schedule' });
    await pressEnter(submit);
    await page.getByText('Say what to do.').waitFor();
    await untilFocused(page, 'name', 'prompt');
    await page.keyboard.type('Read the news\nof today');
    await page.getByLabel('Agent', { exact: true }).selectOption('held');
    await page.getByLabel('Directory').fill('/srv/news');
    await page.getByLabel('Cron expression').fill('15 7 * * 6,0');
    await page.getByText('Every Saturday and Sunday at 07:15').waitFor();
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    await page.getByText('Next runs, in Asia/Tokyo:').waitFor();
    await page.getByLabel('Name of the schedule').fill('News');
    await page.getByLabel('Create it paused').check();
    for (const section of await page.locator('summary').all()) await section.click();
    await page.getByLabel('If the previous task is not finished').selectOption('queue');
    await page.getByLabel('If the daemon was off at the time').selectOption('skip');
    await page.getByLabel('Pause after failures').fill('two');
    await page.getByLabel('Labels').fill('news, daily');
    await pressEnter(submit);
    await page.getByText('Expected a whole number.').waitFor();
    await page.getByLabel('Pause after failures').fill('2');
    expect(await inspect(tab, 'schedule-new')).toEqual([]);
    // The answer to the first try is lost, and the second creates no other schedule.
    await page.route('**/api/schedules', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await pressEnter(submit);
    await page.getByText('The daemon cannot be reached.').waitFor();
    await page.unrouteAll();
    await submit.dblclick();
    await page.waitForURL(/\/schedules\/sched_/);
    await page.getByRole('heading', { name: 'News', level: 1 }).waitFor();
    expect(await listed()).toMatchObject([
      {
        name: 'News',
        cron: '15 7 * * 6,0',
        timezone: 'Asia/Tokyo',
        status: 'paused',
        overlap: 'queue',
        catchUp: 'skip',
        maxFailures: 2,
        task: {
          title: 'Read the news',
          prompt: 'Read the news\nof today',
          assignedAgent: 'held',
          cwd: '/srv/news',
          labels: ['news', 'daily'],
        },
      },
    ]);
    await clear();
  });

  it('shows when each runs, and pauses, resumes and deletes with a way back', async () => {
    const { id } = await add(nightly);
    await add({ ...nightly, name: 'Every five minutes', cron: '*/5 * * * *' });
    const broken = await add({ ...nightly, name: 'Once', cron: undefined, at: '2099-12-24T18:00' });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/schedules');
    const item = page.getByRole('listitem').filter({ hasText: 'Nightly backup' });
    await item.getByText('Monday to Friday at 02:30').waitFor();
    await item.getByText('No runs yet').waitFor();
    await page.getByText('Every 5 minutes ·').waitFor();
    await page.getByText('24 December 2099').waitFor();
    expect(await inspect(tab, 'schedules')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Pause Nightly backup' }));
    await page.getByText('Paused Nightly backup.').waitFor();
    await until(async () => expect((await listed()).find((each) => each.id === id)?.status).toBe('paused'));
    await page.getByRole('link', { name: 'Paused', exact: true }).click();
    await page.waitForURL('**/schedules?status=paused');
    await page.reload();
    await page.getByRole('button', { name: 'Resume Nightly backup' }).waitFor();
    expect(await page.getByText('Every five minutes').count()).toBe(0);
    await pressEnter(page.getByRole('button', { name: 'Resume Nightly backup' }));
    await until(async () => expect((await listed()).find((each) => each.id === id)?.status).toBe('active'));
    await page.getByText('No paused schedules.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await pressEnter(page.getByRole('button', { name: 'Pause Nightly backup' }));
    await page.getByText('Paused Nightly backup.').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await until(async () => expect((await listed()).find((each) => each.id === id)?.status).toBe('active'));
    await pressEnter(page.getByRole('button', { name: 'More actions for Once' }));
    await pressEnter(page.getByRole('button', { name: 'Delete' }));
    await until(async () => expect(await page.getByRole('link', { name: 'Once' }).count()).toBe(0));
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('link', { name: 'Once' }).waitFor();
    await tab.open(`/schedules/${broken.id}`);
    await pressEnter(page.getByRole('button', { name: 'More actions for Once' }));
    await pressEnter(page.getByRole('button', { name: 'Delete' }));
    await page.waitForURL('**/schedules');
    await page.getByText('Deleted Once. Its tasks are kept.').waitFor();
    await until(async () => expect((await listed()).map(({ name }) => name)).not.toContain('Once'));
    expect(tab.problems).toEqual([]);
    await clear();
  });

  it('runs one now, and shows what becomes of its tasks without a reload', async () => {
    const { id } = await add(nightly);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/schedules/${id}`);
    await page.getByText('The tasks that it creates are listed here.').waitFor();
    const run = page.getByRole('button', { name: 'Run Nightly backup now' });
    const before = held.runs.length;
    await pressEnter(run);
    await page.getByRole('link', { name: 'Open the task' }).waitFor();
    await held.started(before);
    const tasks = page.getByRole('list', { name: 'Its tasks' });
    await tasks.getByText('Running').waitFor();
    expect(await inspect(tab, 'schedule-running')).toEqual([]);
    // It is refused while the first is not finished, and the daemon says why.
    await pressEnter(run);
    await page.getByRole('alert').getByText('not finished').waitFor();
    tab.problems.length = 0;
    held.runs[before]?.succeed();
    await tasks.getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'Last task of Nightly backup' }).getByText('Completed').waitFor();
    await page.reload();
    await tasks.getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'Last task of Nightly backup' }).click();
    await page.waitForURL(/\/tasks\/task_/);
    expect(tab.problems).toEqual([]);
    await clear();
  });

  it('changes what the form shows and keeps the rest', async () => {
    const { id } = await add({
      ...nightly,
      task: {
        ...nightly.task,
        title: 'Own title',
        description: 'Kept',
        metadata: { kept: true },
        env: { TOKEN: 'secret-value' },
        maxTimeMs: 5_400_000,
        verify: ['npm test'],
        labels: ['a', 'b'],
        priority: 1,
      },
    });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/schedules/${id}`);
    await pressEnter(page.getByRole('button', { name: 'More actions for Nightly backup' }));
    await pressEnter(page.getByRole('button', { name: 'Edit' }));
    await page.waitForURL(`**/schedules/${id}/edit`);
    await page.reload();
    await page.getByText('Variables: TOKEN.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Own title');
    expect(await page.getByLabel('Cron expression').inputValue()).toBe('30 2 * * 1-5');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('1h30m');
    await page.getByLabel('Cron expression').fill('61 * * * *');
    await pressEnter(page.getByRole('button', { name: 'Save' }));
    await page.getByText('"61" is no minute').first().waitFor();
    tab.problems.length = 0;
    await page.getByLabel('Cron expression').fill('0 4 * * *');
    await page.getByLabel('What to do').fill('Check the disks');
    expect(await inspect(tab, 'schedule-edit')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Save' }));
    await page.waitForURL(`**/schedules/${id}`);
    await page.getByText('Every day at 04:00').waitFor();
    expect(await inspect(tab, 'schedule')).toEqual([]);
    const [changed] = await listed();
    expect(changed).toMatchObject({
      name: 'Nightly backup',
      cron: '0 4 * * *',
      timezone: 'Europe/Berlin',
      task: {
        title: 'Own title',
        prompt: 'Check the disks',
        description: 'Kept',
        metadata: { kept: true },
        envNames: ['TOKEN'],
        maxTimeMs: 5_400_000,
        verify: ['npm test'],
        labels: ['a', 'b'],
        priority: 1,
        assignedAgent: 'held',
      },
    });
    expect(tab.problems).toEqual([]);
    await clear();
  });

  it('keeps the moment of a schedule for once, which the page shows in its time zone', async () => {
    const { cron: _, ...once } = nightly;
    const { id } = await add({ ...once, at: '2099-06-01T18:30' });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/schedules/${id}/edit`);
    const time = page.locator('input[type=datetime-local]');
    await time.waitFor();
    await until(async () => expect(await time.inputValue()).toBe('2099-06-01T18:30'));
    await page.getByLabel('Name of the schedule').fill('Renamed');
    await pressEnter(page.getByRole('button', { name: 'Save' }));
    await page.waitForURL(`**/schedules/${id}`);
    expect(await listed()).toMatchObject([{ name: 'Renamed', at: '2099-06-01T16:30:00.000Z' }]);
    await clear();
  });

  it('shows hostile names as text, and to others only what is theirs', async () => {
    const { id } = await add({ ...nightly, name: hostile, task: { ...nightly.task, prompt: hostile } });
    const ann = await addUser(daemon, 'ann');
    await ann.client.schedules.create({
      body: { cron: '@daily', timezone: 'UTC', task: { title: 'Of Ann' } },
    });
    await using tab = await openTab(daemon);
    await tab.open(`/schedules/${id}`);
    await tab.page
      .getByRole('heading', { name: String.raw`<img src=x onerror=alert(1)> \u{202e}evil` })
      .waitFor();
    expect(await inspect(tab, 'schedule-hostile')).toEqual([]);
    await using hers = await openTab(daemon, { user: ann });
    await hers.open('/schedules');
    await hers.page.getByRole('link', { name: 'Of Ann' }).waitFor();
    expect(await hers.page.getByRole('listitem').filter({ hasText: 'evil' }).count()).toBe(0);
    await hers.page.getByText('Every day at 00:00').waitFor();
    await hers.open(`/schedules/${id}`);
    await hers.page.getByRole('alert').getByText('Schedule not found').waitFor();
    await hers.open('/schedules/new');
    await hers.page.getByText('which only administrators may.').waitFor();
    expect(await hers.page.getByLabel('Directory').count()).toBe(0);
    expect(tab.problems).toEqual([]);
    // The browser logs each answer that there is no such schedule.
    expect(hers.problems.filter((each) => !each.includes('404'))).toEqual([]);
    await clear();
  });

  it('stays while the daemon is away, and is complete when it is back', async () => {
    const before = await startDaemon();
    const { schedule } = await before.client.schedules.create({ body: { ...nightly, task: { title: 'x' } } });
    await using tab = await openTab(before);
    const { page } = tab;
    await tab.open('/schedules');
    await page.getByText('Live', { exact: true }).waitFor();
    await before.stop();
    const run = page.getByRole('button', { name: 'Run Nightly backup now' });
    await until(async () => expect(await run.isDisabled()).toBe(true));
    const { port } = new URL(before.url);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await after.client.schedules.update({ params: { id: schedule.id }, body: { name: 'Renamed meanwhile' } });
    await page.getByRole('link', { name: 'Renamed meanwhile' }).waitFor();
    const renamed = page.getByRole('button', { name: 'Run Renamed meanwhile now' });
    await until(async () => expect(await renamed.isEnabled()).toBe(true));
  });

  it('says why the list cannot be read, and reads it again', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await page.route('**/api/schedules?*', (route) =>
      route.fulfill({ status: 400, json: { error: 'The list is not well.', requestId: 'req_1' } }),
    );
    await tab.open('/schedules');
    await page.getByRole('alert').getByText('The list is not well.').waitFor();
    expect(await inspect(tab, 'schedules-error')).toEqual([]);
    await page.unrouteAll();
    await tryAgain(page, page.getByText('A schedule creates tasks at set times'));
  });
});
