import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { newApproval } from '../helpers/approvals.ts';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, type Tab } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { patienceMs, sized } from '../helpers/long.ts';
import { tell } from '../helpers/task-story.ts';
import { follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

// Each looks at several pages, at three widths in two themes.
vi.setConfig({ testTimeout: sized(90_000, 180_000) });

describe.skipIf(!hasBrowser)('the page of a task (needs Chromium)', () => {
  let daemon: TestDaemon;
  const held = heldAdapter({ type: 'held', isChosenByLabels: false });
  beforeAll(async () => {
    daemon = await startDaemon({
      flags: { 'queue.concurrency': 8 },
      extraAdapters: [
        testAdapter(tell, { type: 'teller', isChosenByLabels: false, driver: 'acp' }),
        held.adapter,
      ],
    });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  const create = async (body: Partial<CreateTask> = {}) => {
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Fix the sum', prompt: 'Fix it', assignedAgent: 'teller', ...body },
    });
    return task.id;
  };
  const finished = async (body: Partial<CreateTask> = {}) => {
    const id = await create(body);
    await follow(daemon.client, id);
    return id;
  };
  const heading = ({ page }: Tab, name = 'Fix the sum') =>
    page.getByRole('heading', { level: 1, name }).waitFor();

  it('shows the answer first, harmless, then what the agent did, and the same after a reload', async () => {
    const id = await finished({ labels: ['urgent'] });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    await heading(tab);
    await page.reload();
    await heading(tab);
    await page.getByRole('heading', { name: 'What changed' }).waitFor();
    await page.getByText('· claimed').waitFor();
    expect(await page.getByRole('link', { name: 'the guide' }).getAttribute('rel')).toBe(
      'noopener noreferrer nofollow',
    );
    await page.getByText('(docs.example)').waitFor();
    expect(await page.getByRole('link', { name: 'a trap' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Image: pixel' }).count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    await page
      .getByText(String.raw`abc\u{202e}dcba\x00\u{200b}`)
      .first()
      .waitFor();
    const tokens = page.getByText('Tokens').locator('..');
    await until(async () => expect(await tokens.textContent()).toContain('1,234'));
    // A call and its result are one row that opens.
    await page.getByText('read_file').click();
    await page.getByText('expect(sum(1, 2)).toBe(3)').first().waitFor();
    await page.getByText('edit_file').click();
    await page.getByText('return a + b;').waitFor();
    await page.getByText(/^Thought for/).click();
    await page.getByText('The sum is off by one.').waitFor();
    expect(await inspect(tab, 'task')).toEqual([]);
    expect(await page.title()).not.toContain('harmed');
    expect(tab.problems).toEqual([]);
  });

  it('is looked at beside the list with the same last events, and leads back to it', async () => {
    const id = await finished();
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks?peek=${id}`);
    const panel = page.getByRole('region', { name: 'Fix the sum' });
    // A call with its result, and no kind of an event.
    await panel.getByText('edit_file').click();
    await panel.getByText('return a + b;').waitFor();
    expect(await panel.getByText('progress', { exact: true }).count()).toBe(0);
    expect(await inspect(tab, 'task-peek')).toEqual([]);
    await panel.getByRole('link', { name: 'Open page' }).click();
    await heading(tab);
    await page.getByRole('main').getByRole('link', { name: 'Tasks', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('opens its views by keyboard, each with an address of its own', async () => {
    const id = await finished({ verify: ['echo checked', 'true'] });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    await heading(tab);
    await page.getByText('· verified').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL('**?tab=output');
    await page.getByText('I look at the test first.').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForURL('**?tab=checks');
    await page.getByText('exit code 0').first().waitFor();
    const checks = page.getByRole('tab', { name: /^Checks/ });
    await until(async () => expect(await checks.textContent()).toBe('Checks2/2'));
    expect(await inspect(tab, 'task-checks')).toEqual([]);
    await page.goBack();
    await page.waitForURL('**?tab=output');
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page
      .getByText('What this agent changed')
      .or(page.getByText('Only the built-in agent keeps the files that it changes'))
      .first()
      .waitFor();
    await page.reload();
    await page.getByRole('tab', { name: /^Changes/, selected: true }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('shows where the time went, also while the task runs', async () => {
    const before = held.runs.length;
    await daemon.client.queue.pause();
    onTestFinished(async () => void (await daemon.client.queue.resume()));
    const id = await create({ assignedAgent: 'held', title: 'Trace this' });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}?tab=trace`);
    await heading(tab, 'Trace this');
    const spans = page.getByRole('list', { name: 'Spans' });
    await spans
      .getByRole('listitem')
      .filter({ hasText: /^queue ?running/ })
      .waitFor();
    await daemon.client.queue.resume();
    const { run, succeed } = await held.started(before);
    const emit = (type: string, data: object, message = '') =>
      run.emit({ type: 'progress', message, data: { type, ...data } });
    emit('session:start', { provider: 'openai', model: 'gpt-test' });
    emit('step:start', { step: 1, usedTokens: 0 });
    const call = { toolCallId: 'a', name: 'read_file', arguments: { path: 'a.txt' } };
    emit('tool:call', call, String.fromCodePoint(0x202e) + 'read_file a.txt');
    const read = spans.getByRole('listitem').filter({ hasText: 'read_file a.txt' });
    await until(async () => expect(await read.textContent()).toContain('running'));
    emit('tool:result', { toolCallId: 'a', result: { success: false } });
    emit('step:complete', { step: 1, usedTokens: 40 });
    emit('step:start', { step: 2, usedTokens: 40 });
    succeed();
    // The end of the task is in the feed, with which the trace is read again.
    await until(async () => expect(await read.textContent()).toContain('failed'));
    await until(async () => expect(await spans.textContent()).not.toContain('running'));
    const rows = await spans.getByRole('listitem').allTextContents();
    expect(rows.map((row) => row.replace(/ ?(failed|interrupted)? ?[\d.]+ m?s$/, ''))).toEqual([
      'task',
      'queue',
      'attempt 1 · held',
      'step 1',
      'gpt-test',
      String.raw`\u{202e}read_file a.txt`,
      'step 2',
      'gpt-test',
    ]);
    expect(await inspect(tab, 'task-trace')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows what happens while it happens, asks for decisions, and cancels', async () => {
    const before = held.runs.length;
    const id = await create({ assignedAgent: 'held' });
    const { run } = await held.started(before);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    await heading(tab);
    await page.getByText('Live', { exact: true }).waitFor();
    run.emit({ type: 'progress', message: 'Cloning the repository' });
    await page.getByText('Cloning the repository').waitFor();
    run.emit({
      type: 'progress',
      message: '',
      data: {
        type: 'tool:call',
        toolCallId: 'c',
        name: 'fetch_page',
        arguments: { url: 'https://a.example' },
      },
    });
    await page.getByText('fetch_page').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'fetch_page' });
    await row.getByText('running').waitFor();
    run.emit({
      type: 'progress',
      message: '',
      data: { type: 'tool:result', toolCallId: 'c', result: { success: true, content: 'page' } },
    });
    await row.getByText('ok', { exact: true }).waitFor();
    expect(await page.getByText('Tokens', { exact: true }).count()).toBe(0);
    run.emit({ type: 'progress', message: '', data: { type: 'usage', input: 900, output: 87 } });
    await page.getByText('987', { exact: true }).waitFor();
    run.emit({ type: 'progress', message: '', data: { type: 'step:start', step: 3 } });
    run.spend({ inputTokens: 12_345, outputTokens: 0, costUsd: 0.04 });
    await page.locator('header').getByText('step 3').waitFor();
    await page.locator('header').getByText('12,345').waitFor();
    await page.getByText('$0.04').waitFor();

    const request = newApproval({ task_id: id, scope_id: id, arguments: '{"command":"rm -r dist"}' });
    const { id: approvalId } = await daemon.app.approvals.request(request);
    await page.getByText('rm -r dist').waitFor();
    // It stands on the page of its task.
    expect(await page.getByRole('link', { name: 'View task' }).count()).toBe(0);
    expect(await inspect(tab, 'task-approval')).toEqual([]);
    // Buttons that have just appeared take no press.
    await expect
      .poll(
        async () => {
          await page
            .getByRole('button', { name: 'Deny', exact: true })
            .press('Enter', { timeout: 500 })
            .catch(() => undefined);
          return (await daemon.client.approvals.get({ params: { id: approvalId } })).approval.status;
        },
        { timeout: patienceMs },
      )
      .toBe('denied');
    await page.getByText('rm -r dist').waitFor({ state: 'detached' });

    await pressEnter(page.getByRole('button', { name: 'Cancel task' }));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    const ended = page.getByRole('banner').or(page.locator('header')).getByText('Cancelled');
    await until(async () => expect(await ended.count()).toBe(1));
    expect(tab.problems).toEqual([]);
  });

  it('says why it failed and what to do, above everything, and runs it again', async () => {
    const id = await finished({ prompt: 'fail', maxAttempts: 1 });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    const failure = page.getByRole('region', { name: 'Sign-in refused' });
    await failure.getByText('The key was refused.').waitFor();
    await failure.getByText('svc doctor').waitFor();
    expect(await inspect(tab, 'task-failed')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Retry' }));
    await page.getByText('Retry of').waitFor();
    await page.waitForURL((url) => !url.href.includes(id));
    await page.getByRole('link', { name: id }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('counts down to the next attempt after a usage limit', async () => {
    const id = await create({ prompt: 'limit' });
    await using tab = await openTab(daemon);
    await tab.open(`/tasks/${id}`);
    await tab.page
      .getByText(/Next attempt in (20|21):\d\d/)
      .first()
      .waitFor();
    expect(await inspect(tab, 'task-waiting')).toEqual([]);
    await daemon.client.tasks.cancel({ params: { id } });
    await tab.page
      .getByText(/Next attempt in/)
      .first()
      .waitFor({ state: 'detached' });
    expect(tab.problems).toEqual([]);
  });

  it('continues the session of an agent with another prompt', async () => {
    const id = await finished();
    await daemon.app.database.write(({ db }) =>
      db
        .insertInto('task_sessions')
        .values({
          task_id: id,
          agent: 'teller',
          session_id: 'session-1',
          cwd: daemon.home,
          cli_version: null,
          host: '',
          updated_at: new Date().toISOString(),
        })
        .execute(),
    );
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    await pressEnter(page.getByRole('button', { name: 'Continue…' }));
    await page.getByRole('textbox').fill('Also write the changelog');
    expect(await inspect(tab, 'task-continue')).toEqual([]);
    await page.getByRole('textbox').press('Control+Enter');
    await heading(tab, 'Also write the changelog');
    await page.getByText('Continues').waitFor();
    await page.getByRole('link', { name: id }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('copies its link, and deletes a task unless it is taken back', async () => {
    const id = await finished();
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.open(`/tasks/${id}?tab=output&line=2`);
    await heading(tab);
    await pressEnter(page.getByRole('button', { name: 'More actions' }));
    expect(await inspect(tab, 'task-menu')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Copy link' }));
    await page.getByText('Link copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
    await pressEnter(page.getByRole('button', { name: 'More actions' }));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete' }).waitFor({ state: 'hidden' });
    const remove = async () => {
      await pressEnter(page.getByRole('button', { name: 'More actions' }));
      await pressEnter(page.getByRole('button', { name: 'Delete' }));
      await page.getByText('Task deleted.').waitFor();
    };
    await remove();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.goBack();
    await heading(tab);
    expect((await daemon.client.tasks.get({ params: { id } })).task.id).toBe(id);
  });

  it('says what fills an empty page, and releases what was imported', async () => {
    const task = {
      id: 'task_old',
      title: 'From elsewhere',
      status: 'pending',
      createdAt: new Date().toISOString(),
    };
    await daemon.client.tasks.import({ body: { version: '1', tasks: [{ ...task, prompt: 'hold' }] } });
    const { tasks } = await daemon.client.tasks.filter({ query: { q: 'elsewhere' } });
    const id = tasks[0]?.id ?? '';
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}?tab=output`);
    await page.getByText('What it writes appears here.').waitFor();
    await page.getByText('It runs once you release it.').waitFor();
    expect(await inspect(tab, 'task-empty')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Release' }));
    await page.getByRole('button', { name: 'Release' }).waitFor({ state: 'detached' });
    expect(tab.problems).toEqual([]);
  });

  it('shows the task of another user as one that does not exist', async () => {
    const id = await finished();
    const ben = await addUser(daemon, 'ben');
    await using tab = await openTab(daemon, { user: ben });
    const { page } = tab;
    await tab.open(`/tasks/${id}`);
    await page.getByText('Task not found').waitFor();
    expect(await page.getByText('Fix the sum').count()).toBe(0);
    expect(await inspect(tab, 'task-not-found')).toEqual([]);
    // The browser itself logs the refusal.
    expect(tab.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });
});
