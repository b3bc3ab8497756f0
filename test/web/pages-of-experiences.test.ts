import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { testAdapter, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const hostile = `Deploy <img src=x onerror=alert(1)> with ${'wide'.repeat(200)}`;

describe.skipIf(!hasBrowser)('the page of experiences (needs Chromium)', () => {
  let daemon: TestDaemon;
  let ann: TestUser;
  beforeAll(async () => {
    daemon = await startDaemon({ extraAdapters: [testAdapter(async () => ({ output: 'done' }))] });
    ann = await addUser(daemon, 'ann');
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });
  const listed = async (query: { tag?: string } = {}) =>
    (await daemon.client.experiences.list({ query })).experiences;

  it('records one by keys', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/experiences');
    await page.getByText('What tasks learned, and what you record yourself').waitFor();
    expect(await inspect(tab, 'experiences-empty')).toEqual([]);
    await page.getByRole('link', { name: 'Record the first one' }).press('Enter');
    await page.waitForURL('**/experiences?add=true');
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Record an experience' });
    await pressEnter(dialog.getByRole('button', { name: 'Record' }));
    await dialog.getByText('Say what was to be reached.').waitFor();
    await dialog.getByText('Say how, one step on each line.').waitFor();
    expect(await inspect(tab, 'experiences-record')).toEqual([]);
    await dialog.getByLabel('Goal').fill('Deploy the documentation pages');
    await dialog.getByLabel('Steps').fill('npm run build of the docs\n\nscripts/push.sh docs to the server');
    await dialog.getByLabel('Tags').fill('deploy, docs');
    await pressEnter(dialog.getByRole('button', { name: 'Record' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await listed()).toMatchObject([
      {
        intent: 'Deploy the documentation pages',
        solution: ['npm run build of the docs', 'scripts/push.sh docs to the server'],
        tags: ['deploy', 'docs'],
      },
    ]);
    expect(tab.problems).toEqual([]);
  });

  it('opens one by its link, marks it as useful, and finds it again', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/experiences');
    await page.getByRole('link', { name: 'Deploy the documentation pages' }).press('Enter');
    await page.waitForURL('**/experiences?open=exp_*');
    await page.reload();
    await page.getByText('scripts/push.sh docs to the server').waitFor();
    expect(await inspect(tab, 'experiences-open')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: /^Mark as useful/ }));
    await page.getByText('once, last').waitFor();
    await page.getByRole('searchbox').fill('how do I deploy the docs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/experiences?q=*');
    await page.getByText(/ · score \d\.\d\d/).waitFor();
    await page.getByRole('searchbox').fill('zebra');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing found. Try other words').waitFor();
    await page.getByRole('link', { name: 'show all', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Fixes' }).click();
    await page.getByText('No matching experiences.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).press('Enter');
    await page.getByRole('link', { name: '#docs' }).click();
    await page.waitForURL('**/experiences?tag=docs');
    expect(tab.problems).toEqual([]);
  });

  it('says where each comes from, and hostile text is text', async () => {
    const { task } = await daemon.client.tasks.create({ body: { title: 'The task', assignedAgent: 'test' } });
    const { experience } = await daemon.client.experiences
      .create({
        body: {
          type: 'error_recovery',
          intent: hostile,
          solution: [`Wait \u001b[31m for ${hostile}`],
          tags: ['b'],
        },
      })
      .catch(() =>
        daemon.client.experiences.create({
          body: { type: 'error_recovery', intent: hostile, solution: [`Wait for ${hostile}`], tags: ['b'] },
        }),
      );
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/experiences');
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    // Learned meanwhile, and shown without a reload.
    const owner = (await daemon.client.auth.getMe()) as { user: { id: string } };
    await daemon.app.experiences.record(
      { userId: owner.user.id, role: 'admin' },
      {
        type: 'tool_chain',
        intent: 'Release the desktop client',
        solution: ['tag it', 'upload it'],
        tags: ['client'],
        successScore: 0.5,
      },
      { kind: 'task', userId: owner.user.id, taskId: task.id, trusted: false, verified: false },
    );
    const item = page.getByRole('listitem').filter({ hasText: 'Release the desktop client' });
    await item.getByText('untrusted', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Release the desktop client' }).click();
    await page.getByText('Runs in the mode full never receive it.').waitFor();
    await tab.open(`/experiences?open=${experience.id}`);
    expect(await inspect(tab, 'experiences')).toEqual([]);
    await item.getByRole('link', { name: 'a task, untrusted' }).press('Enter');
    await page.waitForURL(`**/tasks/${task.id}`);
    expect(tab.problems).toEqual([]);
  });

  it('deletes with a way back, and all only after it was typed', async () => {
    await ann.client.experiences.create({
      body: {
        type: 'task_solution',
        intent: 'Water the plants of the office',
        solution: ['take the green can'],
      },
    });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/experiences');
    const before = (await listed()).length;
    const drop = page.getByRole('button', { name: 'Delete Deploy the documentation pages' });
    await pressEnter(drop);
    await page.getByText('Deleted Deploy the documentation pages.').waitFor();
    await drop.waitFor({ state: 'detached' });
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await pressEnter(drop);
    await until(async () => expect(await listed()).toHaveLength(before - 1));
    await pressEnter(page.getByRole('button', { name: 'More actions' }));
    await pressEnter(page.getByRole('button', { name: 'Delete the unused' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('also those of other users').waitFor();
    await pressEnter(dialog.getByRole('button', { name: 'Delete them' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await listed()).toHaveLength(before - 1);
    await pressEnter(page.getByRole('button', { name: 'More actions' }));
    await pressEnter(page.getByRole('button', { name: 'Delete all', exact: true }));
    await pressEnter(dialog.getByRole('button', { name: 'Delete all' }));
    await dialog.getByText('Type delete all to confirm.').waitFor();
    expect(await inspect(tab, 'experiences-delete-all')).toEqual([]);
    expect(await listed()).toHaveLength(before - 1);
    await dialog.getByLabel('Type delete all to confirm').fill('delete all');
    await page.keyboard.press('Enter');
    await page.getByText('What tasks learned, and what you record yourself').waitFor();
    expect(await listed()).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows to others only what is theirs', async () => {
    const { experience } = await daemon.client.experiences.create({
      body: {
        type: 'task_solution',
        intent: 'Rotate the certificates of the gateway',
        solution: ['run the script'],
      },
    });
    await ann.client.experiences.create({
      body: { type: 'task_solution', intent: 'Feed the fish in the lobby', solution: ['a pinch each day'] },
    });
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/experiences');
    await page.getByRole('link', { name: 'Feed the fish in the lobby' }).waitFor();
    expect(await page.getByText('certificates').count()).toBe(0);
    expect(await page.getByText('of user_ann').count()).toBe(0);
    await tab.open('/experiences?q=certificates+gateway');
    await page
      .getByText('Nothing found.')
      .or(page.getByRole('list', { name: 'Experiences' }))
      .first()
      .waitFor();
    expect(await page.getByText('Rotate the').count()).toBe(0);
    await tab.open(`/experiences?open=${experience.id}`);
    await page.getByRole('alert').getByText('Experience not found').waitFor();
  });

  it('says why the list cannot be read, and stays while the daemon is away', async () => {
    const before = await startDaemon();
    await before.client.experiences.create({
      body: { type: 'task_solution', intent: 'Keep the list on the page', solution: ['do not clear it'] },
    });
    await using tab = await openTab(before);
    const { page } = tab;
    await page.route('**/api/memory/experiences?*', (route) =>
      route.fulfill({ status: 400, json: { error: 'The list is not well.', requestId: 'req_1' } }),
    );
    await tab.open('/experiences');
    await page.getByRole('alert').getByText('The list is not well.').waitFor();
    await page.unrouteAll();
    const drop = page.getByRole('button', { name: 'Delete Keep the list on the page' });
    await tryAgain(page, drop);
    await page.getByText('Live', { exact: true }).waitFor();
    await before.stop();
    await until(async () => expect(await drop.isDisabled()).toBe(true));
    const { port } = new URL(before.url);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await until(async () => expect(await drop.isEnabled()).toBe(true));
    expect(after.url).toBe(before.url);
  });
});
