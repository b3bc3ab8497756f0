import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../helpers/agents/scripted-agent.ts';
import { closeBrowser, hasBrowser, openTab, type Tab } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon, temporaryFolder } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { startGithubAccounts } from '../helpers/github-accounts.ts';
import { GithubServer } from '../helpers/github-server.ts';
import { deliver, fromGithub, inboundFlags, labeledIssue } from '../helpers/inbound.ts';
import { until } from '../helpers/tasks.ts';

const NAME = 'octo/hello';
const directory = process.env['SVC_SCREENSHOTS'];
let pictures = 0;

/** Keeps a picture of a step where `SVC_SCREENSHOTS` names a directory. */
async function film({ page }: Tab, name: string): Promise<void> {
  if (directory === undefined) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `story-${++pictures}-${name}.png`) });
}

/** Presses a button until the moment is over in which it ignores input. */
async function press({ page }: Tab, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.waitFor();
  await until(async () => {
    if (await button.isVisible()) await button.click({ timeout: 1000 });
    expect(await button.count()).toBe(0);
  });
}

/** Pairs a phone with the account that is signed in at the laptop. */
async function pairPhone(daemon: TestDaemon, laptop: Tab): Promise<Tab> {
  await laptop.open('/settings/devices');
  await laptop.page.getByRole('button', { name: 'Show a code' }).click();
  const link = new URL(await laptop.page.getByRole('group', { name: 'link' }).innerText());
  const phone = await openTab(daemon, { user: null, width: 390, height: 844 });
  await phone.open(`${link.pathname}${link.hash}`);
  await phone.page.getByLabel('Name of this device').fill('Pixel 8');
  await phone.page.getByRole('button', { name: 'Ask to pair' }).click();
  await press(laptop, 'Approve');
  await phone.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return phone;
}

describe.skipIf(!hasBrowser)('a team (needs Chromium)', () => {
  afterAll(closeBrowser);

  it(
    'comes from an invite over a labeled issue and a signed decision on a phone to a pull request',
    { timeout: 150_000 },
    async () => {
      await using github = await new GithubServer().listen();
      await using accounts = await startGithubAccounts(github);
      github.create(NAME);
      const repository = new GitRepository({ 'README.md': '# Hello\n' });
      repository.git('remote', 'add', 'origin', `${github.url}/${NAME}.git`);
      repository.git('push', '-q', github.pathOf(NAME), 'main');
      await using daemon = await startDaemon({
        env: { HOME: temporaryFolder() },
        flags: {
          ...inboundFlags,
          ...scriptedAgent,
          ...github.flags,
          ...accounts.flags,
          'approvals.requireSignature': 'high-danger',
        },
      });
      await daemon.client.auth.updateAccessKey({ body: { key: 'a key of eight' } });

      // The owner invites a colleague, and says what may be done for issues of their repository.
      await using owner = await openTab(daemon);
      await owner.open('/settings/people');
      await owner.page.getByLabel('E-mail').fill('ana@example.org');
      await owner.page.getByLabel('Role').selectOption('admin');
      await owner.page.getByRole('button', { name: 'Create invite' }).click();
      const link = new URL(await owner.page.getByRole('group', { name: /link/i }).innerText());
      await film(owner, 'invite');

      // She signs up, and connects her account at GitHub.
      await using laptop = await openTab(daemon, { user: null });
      const { page } = laptop;
      await laptop.open(`${link.pathname}${link.search}`);
      await page.getByLabel('Name').fill('Ana');
      await page.getByLabel('E-mail').fill('ana@example.org');
      await page.getByLabel('Password').fill('correct horse 1');
      await film(laptop, 'sign-up');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await laptop.open('/settings/integrations');
      await page.getByRole('link', { name: 'Connect GitHub' }).click();
      await page.getByText(/Connected as/).waitFor();
      await film(laptop, 'github');
      await daemon.client.config.update({
        params: { key: 'webhooks.github.rules' },
        body: {
          value: {
            [NAME]: {
              agent: 'scripted',
              mode: 'allowlist',
              cwd: repository.root,
              owner: 'ana@example.org',
            },
          },
        },
      });
      await using phone = await pairPhone(daemon, laptop);

      // Somebody labels an issue, and the agent works on it.
      const issue = { repository: NAME, title: 'Say hello in Italian', body: '! echo Ciao >> README.md' };
      const { body } = await deliver(daemon, fromGithub(labeledIssue(issue)));
      const id = body.taskId ?? '';
      await laptop.open(`/tasks/${id}?tab=changes`);
      await page.getByText('Completed').first().waitFor();
      await page.getByText('README.md').first().waitFor();

      // The pull request waits for a decision: the text came from anybody.
      await page.getByRole('button', { name: 'Pull request…' }).click();
      await page.getByRole('button', { name: 'Open pull request' }).click();
      const approval = await until(async () => {
        const { approvals } = await daemon.client.approvals.list();
        const found = approvals.find(({ taskId }) => taskId === id);
        if (!found) throw new Error('there is no approval yet');
        return found;
      });
      expect(github.pulls).toEqual([]);
      await film(laptop, 'waits');

      // On her phone she looks at the changes, and allows it with the key of the phone.
      await phone.page.getByRole('article').first().waitFor();
      await phone.open(`/tasks/${id}?tab=changes`);
      await phone.page.getByText('Ciao').first().waitFor();
      await film(phone, 'diff');
      await phone.open(`/approvals/${approval.id}`);
      await phone.page.getByRole('article').getByRole('button', { name: 'Allow once' }).waitFor();
      await film(phone, 'approval');
      await press(phone, 'Allow once');
      await phone.page.getByText(/Pixel 8, signed/).waitFor();
      await film(phone, 'allowed');

      // And the pull request is there.
      await until(() => expect(github.pulls).toMatchObject([{ title: 'Say hello in Italian' }]));
      await page.getByRole('link', { name: /Pull request 1/ }).waitFor();
      await film(laptop, 'pull-request');
      const { entries } = await daemon.client.audit.list({ query: { limit: 200 } });
      expect(JSON.stringify(entries)).toContain('svc/approval-decision/v1');
      expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
    },
  );
});
