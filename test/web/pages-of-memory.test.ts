import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m ${'wide'.repeat(3000)}`;

describe.skipIf(!hasBrowser)('the page of the memory (needs Chromium)', () => {
  let daemon: TestDaemon;
  let ann: TestUser;
  let folder: string;
  beforeAll(async () => {
    daemon = await startDaemon();
    ann = await addUser(daemon, 'ann');
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-memory-')));
    write(
      'notes/deploy.md',
      '# Deploying\n\n## Rollback\n\nTo roll back a deploy, run the script of the last tag.\n',
    );
    write('src/queue.ts', 'export function deployAll(id: string) {\n  return pending.push(id);\n}\n');
    write('odd.txt', `The printer says ${hostile}\n`);
    write('.env', 'TOKEN=hidden\n');
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  function write(path: string, text: string) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const fileCount = async () => (await daemon.client.memory.getStats()).fileCount;

  it('says what to do while nothing is indexed, and adds the first folder by keys', async () => {
    await using hers = await openTab(daemon, { user: ann });
    await hers.open('/memory?add=true');
    await hers.page.getByText('Only an administrator can add one.').waitFor();
    expect(await hers.page.getByRole('dialog').count()).toBe(0);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/memory');
    await page.getByText('Folders that are indexed can be searched').waitFor();
    expect(await inspect(tab, 'memory-empty')).toEqual([]);
    await page.getByRole('link', { name: 'Add the first folder' }).press('Enter');
    await page.waitForURL('**/memory?add=true');
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Add a folder' });
    await dialog.getByLabel('Folder').fill('notes');
    await page.keyboard.press('Enter');
    await dialog.getByText('Expected an absolute path').waitFor();
    expect(await inspect(tab, 'memory-add')).toEqual([]);
    await dialog.getByLabel('Folder').fill('/nope/nothing');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').or(dialog.locator('[aria-invalid=true]')).first().waitFor();
    tab.problems.length = 0;
    await dialog.getByLabel('Folder').fill(folder);
    await page.keyboard.press('Enter');
    await dialog.getByText('Indexed 3 files: 3 added').waitFor();
    await dialog.getByText('Skipped 1 file').waitFor();
    await pressEnter(dialog.getByRole('button', { name: 'Done' }));
    await page.getByRole('list', { name: 'Files' }).getByText('deploy.md').waitFor();
    await page.getByText('Searches match words. To match by meaning too, choose').waitFor();
    expect(await inspect(tab, 'memory')).toEqual([]);
    // The other tab has followed the sync.
    await hers.page.getByRole('list', { name: 'Files' }).getByText('deploy.md').waitFor();
    expect([...tab.problems, ...hers.problems]).toEqual([]);
  });

  it('searches, marks the words, and explains each score; a link shows the same', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/memory');
    await page.getByRole('searchbox', { name: 'Question or words' }).fill('how do we deploy');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/memory?q=*');
    const results = page.getByRole('list', { name: 'Results' });
    await results.getByText('To roll back a').waitFor();
    await until(async () => expect(await results.locator('mark').allInnerTexts()).toContain('deploy'));
    expect(await inspect(tab, 'memory-found')).toEqual([]);
    await page.getByLabel('Explain the scores').check();
    await pressEnter(page.getByRole('button', { name: 'Search', exact: true }));
    await results.getByText(/Keywords: rank 1, .* points \(deploy/).waitFor();
    await page.getByText('Ignored').waitFor();
    expect(await inspect(tab, 'memory-why')).toEqual([]);
    await page.reload();
    await results.getByText(/Keywords: rank 1/).waitFor();
    await page.getByLabel('Only files at or below').fill(join(folder, 'src'));
    await page.keyboard.press('Enter');
    await until(async () => expect(await results.getByRole('link').count()).toBe(1));
    await page.getByRole('searchbox').fill('zebra');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing found. Try other words').waitFor();
    await page.getByRole('link', { name: 'Clear' }).press('Enter');
    await page.getByRole('list', { name: 'Folders' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('shows the parts of a file, hostile text as text, and removes with a way back', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/memory');
    await page.getByRole('link', { name: /odd\.txt$/ }).press('Enter');
    await page.getByText(String.raw`<img src=x onerror=alert(1)> \u{202e}evil`).waitFor();
    await page.reload();
    await page.getByText(String.raw`\x1b[31m`).waitFor();
    expect(await inspect(tab, 'memory-file')).toEqual([]);
    const removeFirst = page.getByRole('button', { name: 'Remove line 1 from the index' }).first();
    await pressEnter(removeFirst);
    await page.getByText('from the index until the file changes.').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await removeFirst.waitFor();
    await tab.open('/memory?q=printer');
    await page.getByText('The printer says').or(page.locator('mark')).first().waitFor();
    expect(await inspect(tab, 'memory-hostile')).toEqual([]);
    await tab.open('/memory');
    await pressEnter(page.getByRole('button', { name: /Remove .*odd\.txt from the index/ }));
    await page.getByText('Removed odd.txt from the index until the next sync.').waitFor();
    await page.getByRole('link', { name: /odd\.txt$/ }).waitFor({ state: 'detached' });
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('link', { name: /odd\.txt$/ }).waitFor();
    await pressEnter(page.getByRole('button', { name: /Remove .*odd\.txt from the index/ }));
    await until(async () => expect(await fileCount()).toBe(2));
    expect(tab.problems).toEqual([]);
  });

  it('shows a sync while it runs, in every tab, and stops it', async () => {
    const many = realpathSync(mkdtempSync(join(tmpdir(), 'svc-many-')));
    for (let at = 0; at < 12_000; at++)
      writeFileSync(join(many, `${at}.md`), `# ${at}\n\n${'words '.repeat(400)}\n`);
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/memory');
    await page.getByText('Live', { exact: true }).waitFor();
    const running = daemon.client.memory.sync({ body: { basePath: many } });
    await page.getByRole('progressbar').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Stop' }));
    expect((await running).cancelled).toBe(true);
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    rmSync(many, { recursive: true, force: true });
    await daemon.client.config.update({ params: { key: 'memory.roots' }, body: { value: [folder] } });
    expect(tab.problems).toEqual([]);
  });

  it('lets administrators alone remove a folder, change the settings, and delete all after they typed it', async () => {
    await using hers = await openTab(daemon, { user: ann });
    await hers.open('/memory');
    await pressEnter(hers.page.getByRole('button', { name: `Sync ${folder}` }));
    await hers.page.getByText(/^Indexed 3 files/).waitFor();
    for (const name of ['Delete the index', `Remove ${folder}`, 'Save'])
      expect(await hers.page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/memory');
    await page.getByLabel('Work in a project gets').selectOption('all');
    await page.getByLabel('Learn from tasks that complete').uncheck();
    await pressEnter(page.getByRole('button', { name: 'Save' }));
    await page.getByText('Saved.').waitFor();
    const { settings } = await daemon.client.config.list();
    const value = (key: string) => settings.find((setting) => setting.key === key)?.value;
    expect([value('memory.scope'), value('memory.learn'), value('memory.recall')]).toEqual([
      'all',
      false,
      true,
    ]);
    await pressEnter(page.getByRole('button', { name: 'Delete the index' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type delete all to confirm').fill('delete');
    await page.keyboard.press('Enter');
    await dialog.getByText('Type delete all to confirm.').waitFor();
    expect(await inspect(tab, 'memory-delete-all')).toEqual([]);
    expect(await fileCount()).toBe(3);
    await dialog.getByLabel('Type delete all to confirm').fill('delete all');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is indexed now.').waitFor();
    expect(await fileCount()).toBe(0);
    await pressEnter(page.getByRole('button', { name: `Remove ${folder}` }));
    await pressEnter(dialog.getByRole('button', { name: 'Remove' }));
    await page.getByText('Folders that are indexed can be searched').waitFor();
    expect([...tab.problems, ...hers.problems]).toEqual([]);
  });

  it('says why the index cannot be read, and keeps what it showed while the daemon is away', async () => {
    const before = await startDaemon();
    await before.client.memory.sync({ body: { basePath: folder } });
    await using tab = await openTab(before);
    const { page } = tab;
    await page.route('**/api/memory/stats', (route) =>
      route.fulfill({ status: 400, json: { error: 'The index is not well.', requestId: 'req_1' } }),
    );
    await tab.open('/memory');
    await page.getByRole('alert').getByText('The index is not well.').waitFor();
    await page.unrouteAll();
    const sync = page.getByRole('button', { name: 'Sync all' });
    await tryAgain(page, sync);
    await page.getByText('Live', { exact: true }).waitFor();
    await before.stop();
    await until(async () => expect(await sync.isDisabled()).toBe(true));
    expect(await page.getByRole('list', { name: 'Folders' }).count()).toBe(1);
    const { port } = new URL(before.url);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await until(async () => expect(await sync.isEnabled()).toBe(true));
    expect(after.url).toBe(before.url);
  });
});
