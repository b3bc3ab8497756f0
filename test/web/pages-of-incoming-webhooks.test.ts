import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import {
  commentOn,
  deliver,
  fromGithub,
  inboundFlags,
  openedIssue,
  secrets,
  sign,
} from '../helpers/inbound.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

describe.skipIf(!hasBrowser)('the page of incoming webhooks (needs Chromium)', () => {
  let daemon: TestDaemon;
  beforeEach(async ({ task }) => {
    daemon = await startDaemon(task.name.startsWith('says how') ? {} : { flags: inboundFlags });
  });
  afterEach(() => daemon[Symbol.asyncDispose]());
  afterAll(closeBrowser);

  it('says how to connect, and gives the address and a secret that is shown once', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/webhooks/in');
    await page.getByText('Nothing has arrived yet.').waitFor();
    const address = page.getByRole('group', { name: 'address for GitHub' });
    await until(async () => expect(await address.textContent()).toBe(`${daemon.url}/api/webhooks/codehost`));
    expect(await inspect(tab, 'inbound-empty')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Generate a secret' }));
    const shown = page.getByRole('group', { name: 'secret for GitHub' });
    await shown.waitFor();
    const secret = (await shown.textContent()) ?? '';
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await inspect(tab, 'inbound-secret')).toEqual([]);
    const { status } = await deliver(daemon, sign(fromGithub(openedIssue()), secret));
    expect(status).toBe(200);
    await page.getByText('octo/hello').first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'View task' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await pressEnter(page.getByRole('button', { name: 'Connect Linear' }));
    await pressEnter(page.getByRole('button', { name: 'Save the secret' }));
    await page.getByText('Paste the secret').waitFor();
    await page.getByLabel('Signing secret that Linear shows').fill(secrets.tracker_b);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Set up Linear' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('lists what arrived with its outcome, filters it and leads to the task', async () => {
    await deliver(daemon, fromGithub(openedIssue({ title: '<b>Bold</b> \u202e' })));
    await deliver(daemon, fromGithub(commentOn({}, 1, 'nothing for svc')));
    await deliver(daemon, fromGithub({ zen: 'x' }, { event: 'odd<i>' }));
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/webhooks/in');
    const items = page.getByRole('list', { name: 'Incoming webhooks' }).getByRole('listitem');
    await until(async () => expect(await items.count()).toBe(3));
    expect(await inspect(tab, 'inbound-list')).toEqual([]);
    await page.getByRole('link', { name: 'Accepted' }).press('Enter');
    await page.waitForURL('**/webhooks/in?status=accepted');
    await until(async () => expect(await items.count()).toBe(1));
    await page.getByRole('link', { name: 'View task' }).waitFor();
    await page.reload();
    const current = page.getByRole('group', { name: 'Source and outcome' }).locator('[aria-current]');
    await until(async () => expect(await current.allTextContents()).toEqual(['Accepted']));
    await page.getByRole('link', { name: /^Details of GitHub issues.opened/ }).press('Enter');
    await page.locator('pre').waitFor();
    expect(await page.locator('pre').textContent()).toContain(String.raw`<b>Bold</b> \u{202e}`);
    expect(await inspect(tab, 'inbound-details')).toEqual([]);
    await page.getByRole('link', { name: 'View task' }).press('Enter');
    await page.waitForURL('**/tasks/task_*');
    await tab.open('/webhooks/in?from=jira');
    await page.getByText('No webhook matches.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('replays a webhook with the current rules', async () => {
    await deliver(daemon, fromGithub(commentOn({}, 1, 'nothing for svc')));
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/webhooks/in');
    const items = page.getByRole('list', { name: 'Incoming webhooks' }).getByRole('listitem');
    await page.getByRole('link', { name: /^Details/ }).press('Enter');
    await pressEnter(page.getByRole('button', { name: 'Replay' }));
    await until(async () => expect(await items.count()).toBe(2));
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await page.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
    expect(await items.count()).toBe(2);
  });

  it('tells a user that only administrators see it', async () => {
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    await tab.open('/webhooks/in');
    await tab.page.getByText('Ask an administrator').waitFor();
    expect(await tab.page.getByRole('button', { name: /^(?:Connect|Set up)/ }).count()).toBe(0);
    expect(await inspect(tab, 'inbound-user')).toEqual([]);
    expect(tab.problems.filter((line) => !line.includes('403'))).toEqual([]);
  });
});
