import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, untilFocused } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)>\u202eevil\u001b[31m`;
const shownHostile = String.raw`<img src=x onerror=alert(1)>\u{202e}evil\u001b[31m`;

describe.skipIf(!hasBrowser)('the settings of the person and of the daemon (needs Chromium)', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ env: { SVC_LOG_LEVEL: 'warn' } });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });
  const audit = async (tool: string, count: number, args: Record<string, string> = {}) =>
    daemon.app.database.write(async (transaction) => {
      for (let at = 0; at < count; at++)
        await daemon.app.audit.append(transaction, {
          kind: 'security',
          tool,
          userId: 'user_zoe',
          arguments: { at, ...args },
          result: 'ok',
        });
    });

  it('changes the profile, the password and the access key', async () => {
    const dan = await addUser(daemon, 'dan');
    await using tab = await openTab(daemon, { user: dan });
    const { page } = tab;
    await tab.open('/settings/general');
    await page.getByLabel('Name', { exact: true }).fill('Dan Brown');
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByLabel('Time zone').press('Enter');
    await page.getByText('Expected an IANA time zone').waitFor();
    expect(await inspect(tab, 'general')).toEqual([]);
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Time zone').press('Enter');
    await page.getByText('Saved.').waitFor();
    expect((await dan.client.auth.getMe()).user).toMatchObject({
      name: 'Dan Brown',
      timezone: 'Europe/Berlin',
    });
    await page.getByLabel('New password', { exact: true }).fill('correct horse 1');
    await page.getByLabel('Repeat the new password').fill('something else 2');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The two new passwords differ.').waitFor();
    await page.getByLabel('Repeat the new password').fill('correct horse 1');
    await page.keyboard.press('Enter');
    await page.getByText('Password changed; your other sessions were signed out.').waitFor();
    await daemon.client.auth.login({ body: { email: 'dan@example.org', password: 'correct horse 1' } });
    expect(await page.getByRole('button', { name: 'Set a new access key' }).count()).toBe(0);
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('writes dates and numbers in the language and the time zone of the profile', async () => {
    await audit('locale.test', 2);
    const fay = await addUser(daemon, 'fay', 'admin');
    await fay.client.auth.updateMe({ body: { timezone: 'Asia/Tokyo', locale: 'de-DE' } });
    await using tab = await openTab(daemon, { user: fay });
    const { page } = tab;
    await tab.open('/settings/audit?tool=locale.test');
    const at = page.locator('time').first();
    await at.waitFor();
    const format = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const;
    await until(async () => {
      const moment = new Date((await at.getAttribute('datetime')) ?? '');
      expect(await at.getAttribute('title')).toBe(new Intl.DateTimeFormat('de-DE', format).format(moment));
    });
    await tab.open('/schedules/new');
    await until(async () => expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo'));
    expect(tab.problems).toEqual([]);
  });

  it('shows a new access key once', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/general');
    await pressEnter(page.getByRole('button', { name: 'Set a new access key' }));
    await pressEnter(page.getByRole('button', { name: 'Set a new key' }));
    const key = await page.getByRole('group', { name: 'access key' }).innerText();
    expect(await daemon.client.auth.verifyAccessKey({ body: { key } })).toMatchObject({ success: true });
    await page.getByRole('button', { name: 'Done' }).click();
    await until(async () => expect(await page.content()).not.toContain(key));
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Access key removed.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('keeps the theme and the single keys in the browser', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/general');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.getByLabel('Single keys, such as j and k').uncheck();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('heading', { name: 'Settings' }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.keyboard.press('?');
    expect(page.url()).toBe(`${daemon.url}/settings/general`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Single keys, such as j and k').check();
    await page.getByLabel('As the system').check();
    await until(async () => expect(await page.locator('html').getAttribute('data-theme')).toBeNull());
    await page.getByRole('heading', { name: 'Settings' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('changes settings, each with where its value comes from, and finds others', async () => {
    const setting = async (key: string) =>
      (await daemon.client.config.list()).settings.find((each) => each.key === key);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('configuration');
    await page.getByRole('option', { name: 'Settings: Configuration' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/configuration');
    await page.getByText('Set by the environment variable SVC_LOG_LEVEL.').waitFor();
    expect(await page.getByRole('button', { name: 'Change log.level' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Change queue.retry.attempts' }).click();
    const value = page.getByLabel('Value of queue.retry.attempts');
    await value.fill('many');
    await value.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await inspect(tab, 'configuration-change')).toEqual([]);
    await value.fill('5');
    await value.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: 'queue.retry.attempts' });
    await row.getByText('The default is 3.').waitFor();
    // The keyboard is back where it came from.
    await untilFocused(page, 'ariaLabel', 'Change queue.retry.attempts');
    expect(await setting('queue.retry.attempts')).toMatchObject({ value: 5, origin: 'settings' });
    await page.getByRole('button', { name: 'Change queue.concurrency', exact: true }).click();
    await page.getByLabel('Value of queue.concurrency', { exact: true }).fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('After a restart: 4.').waitFor();
    await pressEnter(row.getByRole('button', { name: 'Reset queue.retry.attempts' }));
    await row.getByText('3 The default.').waitFor();
    expect(await inspect(tab, 'configuration')).toEqual([]);
    await page.getByLabel('Search settings').fill('trustedProxies');
    await page.waitForURL('**?q=trustedProxies');
    await page.reload();
    await page.getByRole('button', { name: 'Change server.trustedProxies' }).click();
    await page.getByLabel('Value of server.trustedProxies').fill('10.0.0.1\n10.0.0.2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('After a restart: 10.0.0.1, 10.0.0.2.').waitFor();
    await page.getByLabel('Search settings').fill('no such thing');
    await page.getByText('No setting matches.').waitFor();
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('shows the audit log by pages and filters that are in the address, with the details of an entry', async () => {
    await audit('test.many', 60);
    await audit('test.hostile', 1, { text: hostile });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/audit?tool=test.many');
    await page.getByText('1 to 50 of 60').waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText('51 to 60 of 60').waitFor();
    await page.waitForURL('**after=50**');
    await page.goBack();
    await page.getByText('1 to 50 of 60').waitFor();
    const tool = page.getByLabel('Event or tool');
    await tool.fill('test.hostile');
    await tool.press('Enter');
    await page.waitForURL('**?tool=test.hostile');
    await page.getByRole('link', { name: /^Details of test.hostile/ }).click();
    const details = page.getByRole('region', { name: 'Arguments' });
    await details.waitFor();
    expect(await details.innerText()).toContain(shownHostile);
    expect(await inspect(tab, 'audit-entry')).toEqual([]);
    await page.reload();
    await details.waitFor();
    const { entries } = await daemon.client.audit.list({ query: { tool: 'test.hostile' } });
    const day = entries[0]?.timestamp.slice(0, 10);
    await tab.open(`/settings/audit?tool=test.hostile&from=${day}&to=${day}`);
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByLabel('User ID').fill('user_nobody');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByRole('link', { name: 'Older' }).waitFor();
    expect(await inspect(tab, 'audit')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('says in words whether the audit log is whole', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/audit');
    await pressEnter(page.getByRole('button', { name: 'Verify' }));
    await page.getByText('verified: none was changed or is missing').waitFor();
    const { lastHash } = await daemon.client.audit.verify();
    expect(await page.getByRole('group', { name: 'last hash' }).innerText()).toBe(lastHash);
    await daemon.app.database.write(({ db }) =>
      db.updateTable('audit_log').set({ result: 'forged' }).where('tool', '=', 'test.hostile').execute(),
    );
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText(/^The audit log failed verification/).waitFor();
    expect(await inspect(tab, 'audit-broken')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows what takes space, downloads a backup and an export', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/data');
    await page.getByRole('region', { name: 'Tables of the database' }).getByText('audit_log').waitFor();
    await page.getByText('The daemon makes no backups by itself.').waitFor();
    expect(await inspect(tab, 'data')).toEqual([]);
    const backup = page.waitForEvent('download');
    await pressEnter(page.getByRole('button', { name: 'Download a backup' }));
    const name = (await backup).suggestedFilename();
    expect(name).toMatch(/^svc-backup-.*\.tar\.gz$/);
    expect(await page.getByRole('group', { name: 'restore command' }).innerText()).toBe(
      `svc restore ${name}`,
    );
    const exported = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export tasks' }).click();
    expect((await exported).suggestedFilename()).toBe('svc-tasks.json');
    await page.getByRole('button', { name: 'Archive old entries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('No audit entry is that old.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('removes what is past its retention only after saying what that is', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/data');
    await page.getByRole('button', { name: 'Remove old data now' }).click();
    await page.getByText('Nothing is past its retention.').waitFor();
    await daemon.app.database.write(({ db }) =>
      db
        .insertInto('notifications')
        .values({
          id: 'ntf_old',
          owner_id: 'user_local',
          type: 'schedule_paused',
          title: 'old',
          message: 'old',
          data: '{}',
          created_at: '2020-01-01T00:00:00.000Z',
        })
        .execute(),
    );
    await page.getByRole('button', { name: 'Remove old data now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/notifications: 1/).waitFor();
    expect(await inspect(tab, 'data-prune')).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(/^Removed\./).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('keeps the audit log and the data from people who are no administrators', async () => {
    await using tab = await openTab(daemon, { user: await addUser(daemon, 'eve') });
    for (const section of ['audit', 'data', 'configuration']) {
      await tab.open(`/settings/${section}`);
      await tab.page.getByText('Only administrators of this daemon see these settings.').waitFor();
    }
    expect(tab.problems).toEqual([]);
  });
});
