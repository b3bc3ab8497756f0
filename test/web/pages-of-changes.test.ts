import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { compete, writer } from '../helpers/candidates.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { sized } from '../helpers/long.ts';
import { follow, until } from '../helpers/tasks.ts';

vi.setConfig({ testTimeout: sized(90_000, 180_000) });

const hostile = '<img src=x onerror=alert(1)> \u202eevil\u202c';

describe.skipIf(!hasBrowser)('the changes of a task (needs Chromium)', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({
      flags: { 'queue.concurrency': 4 },
      extraAdapters: [
        writer('short', { 'door.txt': 'blue\n' }),
        writer('long', { 'door.txt': 'blue\nand\nred\n' }),
      ],
    });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  /** A finished task that changed files in a worktree. */
  async function work(prompt: string, more: Partial<CreateTask> = {}) {
    const repository = new GitRepository({
      'a.txt': 'one\ntwo\n',
      'old name.txt': 'moved as it is\n',
      'src/b.txt': 'b\n',
    });
    const { task } = await daemon.client.tasks.create({
      body: {
        title: 'Change files',
        prompt,
        assignedAgent: 'command',
        cwd: repository.root,
        worktree: true,
        ...more,
      },
    });
    const { task: done } = await follow(daemon.client, task.id);
    expect(done.error ?? done.status).toBe('completed');
    return { id: task.id, repository };
  }

  it('lists the files first, and reads the lines of each when it is opened', async () => {
    const { id } = await work(
      String.raw`printf 'one\n2 ${hostile}\n' > a.txt; mv 'old name.txt' 'new name.txt'; seq 700 > long.txt; seq 200000 > large.txt; printf 'a\0b' > pic.bin; echo KEY=1 > .env; rm src/b.txt`,
    );
    await using tab = await openTab(daemon);
    const { page } = tab;
    // Once each: the page reads again once it is connected.
    const asked = new Set<string>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/changes/diff'))
        asked.add(`${searchParams.get('path')} ${searchParams.get('offset') ?? 0}`);
      if (pathname.endsWith('/changes')) asked.add('everything');
    });
    await tab.open(`/tasks/${id}?tab=changes`);
    await page.getByText('7 files changed').waitFor();
    await page.getByRole('cell', { name: String.raw`2 <img src=x onerror=alert(1)> \u{202e}evil` }).waitFor();
    await page.getByText('renamed from old name.txt').waitFor();
    await page.getByText('holds credentials').waitFor();
    expect(await page.getByText('binary', { exact: true }).count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    await until(() => expect([...asked].toSorted()).toEqual(['a.txt 0', 'src/b.txt 0']));
    expect(await inspect(tab, 'changes')).toEqual([]);
    const file = (name: string) =>
      page.locator('details', { has: page.locator('summary', { hasText: name }) });
    const summary = file('long.txt').locator('summary').first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Lines of long.txt' }).waitFor();
    await file('large.txt').locator('summary').first().press('Enter');
    const lines = page.getByRole('group', { name: 'Lines of large.txt' });
    await lines.waitFor();
    expect(asked).toContain('large.txt 0');
    await pressEnter(page.getByRole('button', { name: 'Load more of large.txt' }));
    await until(() => expect([...asked].filter((each) => each.startsWith('large.txt'))).toHaveLength(2));
    expect(asked).not.toContain('everything');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.getByText('7 files changed').waitFor();
    const patch = page.getByRole('link', { name: 'Patch' });
    await patch.waitFor();
    const targets = page.getByRole('tab').or(patch);
    for (const target of await targets.all())
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await page.getByText('Tokens', { exact: true }).count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('applies and commits the changes, and says what the daemon says against a push and a pull request', async () => {
    const { id, repository } = await work('echo new > new.txt');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}?tab=changes`);
    await pressEnter(page.getByRole('button', { name: 'Commit…' }));
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Add a file');
    expect(await inspect(tab, 'changes-commit')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Commit', exact: true }));
    await page.getByText(`Changes committed on svc/${id}.`).waitFor();
    expect(repository.git('log', '-1', '--format=%s', `svc/${id}`)).toBe('Add a file');
    await pressEnter(page.getByRole('button', { name: 'Push' }));
    const problem = page.getByRole('alert');
    await problem.waitFor();
    // The browser itself logs the refusals.
    tab.problems.length = 0;
    expect(await problem.innerText()).not.toBe('');
    await pressEnter(page.getByRole('button', { name: 'Pull request…' }));
    await page.getByRole('textbox', { name: 'Title' }).fill('Add a file');
    await page.getByRole('textbox', { name: 'Description' }).fill('It is new.');
    await page.getByRole('checkbox', { name: 'Draft' }).press('Space');
    expect(await inspect(tab, 'changes-pull-request')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Open pull request' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor();
    expect(await inspect(tab, 'changes-refused')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Apply' }));
    await page.getByText(/^Changes applied to/).waitFor();
    expect(repository.read('new.txt')).toBe('new\n');
    // A second time changes nothing, and says so.
    await pressEnter(page.getByRole('button', { name: 'Apply' }));
    await page.getByText(/already\.$/).waitFor();
  });

  it('discards the changes unless that is taken back', async () => {
    const { id, repository } = await work('echo new > new.txt');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}?tab=changes`);
    await pressEnter(page.getByRole('button', { name: 'Discard' }));
    await page.getByText('The changes are discarded. Undo brings them back.').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.getByText('1 file changed').waitFor();
    expect(repository.git('branch', '--list', `svc/${id}`)).toContain(id);
    await pressEnter(page.getByRole('button', { name: 'Discard' }));
    await page.getByText('The changes are discarded. Undo brings them back.').waitFor();
    await page.goto('about:blank');
    await until(() => expect(repository.git('branch', '--list', `svc/${id}`)).toBe(''));
  });

  it('compares candidates, and a person chooses one by keyboard', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['long', 'short'], count: 2, pick: 'person' });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/tasks/${id}?tab=candidates`);
    const choose = page.getByRole('button', { name: 'Choose Candidate 1 by long' });
    await choose.waitFor();
    expect(await inspect(tab, 'candidates')).toEqual([]);
    await pressEnter(choose);
    await page.getByText('chosen', { exact: true }).waitFor();
    await follow(daemon.client, id);
    const { choice } = await daemon.client.tasks.getCandidates({ params: { id } });
    expect(choice?.by).toBe('person');
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page.getByText('1 file changed').waitFor();
    await page.getByText('and', { exact: true }).waitFor();
    expect(tab.problems).toEqual([]);
  });
});
