import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';
import { startVendors, type VendorStub } from '../helpers/vendor-stub.ts';

const hostile = `<img src=x onerror=alert(1)>\u202eevil`;
const shownHostile = String.raw`<img src=x onerror=alert(1)>\u{202e}evil`;

describe.skipIf(!hasBrowser)('the settings of accounts and access (needs Chromium)', () => {
  let vendors: VendorStub;
  let daemon: TestDaemon;
  let ann: TestUser;
  beforeAll(async () => {
    vendors = await startVendors();
    daemon = await startDaemon({ flags: vendors.flags });
    ann = await addUser(daemon, 'ann');
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    await vendors[Symbol.asyncDispose]();
  });

  it('creates a token that is shown once, lists it and revokes it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/tokens');
    await page.getByText('There are no API tokens yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill(hostile.replace('\u202e', ''));
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Choose at least one scope.').waitFor();
    expect(await inspect(tab, 'tokens-new')).toEqual([]);
    await page.getByRole('checkbox', { name: 'tasks:read' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Expires').selectOption({ label: 'After 30 days' });
    await page.getByText('Budget', { exact: true }).click();
    await page.getByLabel('USD per day').fill('2.5');
    await page.getByLabel('USD per month').fill('30');
    await page.getByLabel('Model tokens per day').fill('100');
    await page.getByText('Models at /v1', { exact: true }).click();
    await page.getByLabel('Models', { exact: true }).fill('openai/*\n fast, ');
    await page.getByLabel('Requests per minute').fill('60');
    await page.getByLabel('Tokens per minute').fill('90000');
    expect(await inspect(tab, 'tokens-limits')).toEqual([]);
    // Closed again, the section opens where its field is wrong.
    await page.getByText('Budget', { exact: true }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Check the marked fields.').waitFor();
    // The browser notes the refused request.
    tab.problems.length = 0;
    await page.getByLabel('Model tokens per day').fill('100000');
    await page.keyboard.press('Enter');
    const token = await page.getByRole('group', { name: 'token', exact: true }).innerText();
    expect(token).toMatch(/^svc_/);
    expect(await inspect(tab, 'tokens-created')).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await until(async () => expect(await page.content()).not.toContain(token));
    const { tokens } = await daemon.client.tokens.list();
    expect(tokens[0]).toMatchObject({
      scopes: ['tasks:read'],
      tokensPerDay: 100_000,
      costPerDay: 2.5,
      costPerMonth: 30,
      models: ['openai/*', 'fast'],
      requestsPerMinute: 60,
      tokensPerMinute: 90_000,
    });
    expect(tokens[0]).not.toHaveProperty('tokensPerMonth');
    const used = await fetch(`${daemon.url}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
    expect(used.status).toBe(200);
    await page.reload();
    await page.getByText(/model openai\/\*, model fast, .*2\.5 USD per day, 30 USD per month/).waitFor();
    expect(await inspect(tab, 'tokens-listed')).toEqual([]);
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There are no API tokens yet.').waitFor();
    const refused = await fetch(`${daemon.url}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(401);
    expect(tab.problems).toEqual([]);
  });

  it('lists where somebody is signed in, and signs out one session or all others', async () => {
    const sessions = async () => (await ann.client.sessions.list()).sessions;
    for (const userAgent of ['Mozilla/5.0 (X11; Linux) Firefox/140.0', hostile, 'curl/8'])
      await daemon.app.sessions.create({ userId: ann.caller.userId, kind: 'sign-in', client: { userAgent } });
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/settings/sessions');
    await page.getByText('Firefox on Linux').waitFor();
    await page.getByText(shownHostile).waitFor();
    await page.getByText('this one').waitFor();
    expect(await inspect(tab, 'sessions')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Sign out curl/8' }));
    await page.getByText('curl/8').waitFor({ state: 'detached' });
    await until(async () => expect(await sessions()).toHaveLength(3));
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await page.getByText('2 other sessions of browsers and terminals end.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Firefox on Linux').waitFor({ state: 'detached' });
    await until(async () => expect(await sessions()).toMatchObject([{ current: true }]));
    await page.getByRole('button', { name: 'Sign out all others' }).waitFor({ state: 'detached' });
    expect(tab.problems).toEqual([]);
  });

  it('shows tokens and sessions of nobody else', async () => {
    await daemon.client.tokens.create({ body: { name: 'of the owner', scopes: ['tasks:read'] } });
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/settings/tokens');
    await page.getByText('There are no API tokens yet.').waitFor();
    expect(await page.getByText('of the owner').count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'agents:command' }).count()).toBe(0);
    await tab.open('/settings/people');
    await page.getByText('Only administrators of this daemon').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('invites somebody with a link that is shown once, and takes an invite back unless that is undone', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/people');
    await page.getByText('There are no invites yet.').waitFor();
    await page.getByLabel('E-mail').fill('not an address');
    await page.getByRole('button', { name: 'Create invite' }).click();
    await page.getByText('Check the marked fields.').waitFor();
    await page.getByLabel('E-mail').fill('bob@example.org');
    await page.getByLabel('Role').selectOption('admin');
    await page.getByLabel('Expires after days').fill('3');
    await page.keyboard.press('Enter');
    const link = await page.getByRole('group', { name: 'invite link' }).innerText();
    expect(link).toMatch(`${daemon.url}/sign-up?invite=`);
    const code = new URL(link).searchParams.get('invite') ?? '';
    const command = await page.getByRole('group', { name: 'sign-up command' }).innerText();
    expect(command).toBe(`svc auth signup --url ${daemon.url} --invite ${code} --email bob@example.org`);
    expect(await inspect(tab, 'people-invited')).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await until(async () => expect(await page.content()).not.toContain(code));
    const revoke = page.getByRole('button', { name: 'Revoke the invite for bob@example.org' });
    await revoke.click();
    await revoke.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await revoke.waitFor();
    await pressEnter(revoke);
    await page.getByText('There are no invites yet.').waitFor();
    await page.getByText('Invite revoked.').waitFor({ state: 'detached' });
    // The way back is gone before the daemon is asked.
    await until(async () => expect((await daemon.client.invites.list()).invites).toEqual([]));
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('changes the role of a person and disables them, each after a confirmation', async () => {
    await daemon.app.database.write(({ db }) =>
      db.updateTable('users').set({ name: hostile }).where('id', '=', ann.caller.userId).execute(),
    );
    const account = async () =>
      (await daemon.client.users.list()).users.find(({ id }) => id === ann.caller.userId);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/people');
    const row = page.getByRole('listitem').filter({ hasText: 'ann@example.org' });
    await row.getByText(shownHostile).waitFor();
    await row.getByRole('button', { name: /^Make .* an administrator/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make administrator' }).click();
    await row.getByRole('button', { name: /a user$/ }).click();
    await row.getByRole('button', { name: /an administrator$/ }).waitFor();
    expect(await account()).toMatchObject({ role: 'user' });
    await row.getByRole('button', { name: /^Disable/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText('disabled').waitFor();
    expect(await inspect(tab, 'people')).toEqual([]);
    expect(await account()).toMatchObject({ disabled: true });
    await pressEnter(row.getByRole('button', { name: /^Enable/ }));
    await row.getByRole('button', { name: /^Disable/ }).waitFor();
    const own = page.getByRole('listitem').filter({ hasText: 'you' }).first();
    expect(await own.getByRole('button').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('connects an account at the product, comes back, and disconnects it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/integrations');
    await page.getByRole('link', { name: 'Connect GitHub' }).click();
    const row = page.getByRole('listitem').filter({ hasText: /^GitHub/ });
    await row.getByText(/Connected as/).waitFor();
    await page.waitForURL(`${daemon.url}/settings/integrations`);
    expect(await inspect(tab, 'integrations')).toEqual([]);
    await pressEnter(row.getByRole('button', { name: 'Disconnect GitHub' }));
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await row.getByText('not connected').waitFor();
    expect((await daemon.client.integrations.getGithub()).connected).toBe(false);
    expect(tab.problems).toEqual([]);
  });

  it('stores the secret of an OAuth app without showing it, and says where the environment or a flag sets one', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/integrations');
    await page.getByText('GitHub: OAuth app and webhooks').click();
    const callback = page.getByRole('group', { name: 'callback URL of GitHub' });
    await until(async () =>
      expect(await callback.innerText()).toBe(`${daemon.url}/api/auth/codehost/callback`),
    );
    await page.getByText('Set on the command line of the daemon.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Change integrations.github.clientId' }).count()).toBe(0);
    const change = page.getByRole('button', { name: 'Change webhooks.github.signingSecret' });
    await change.click();
    await page.getByLabel('New value of webhooks.github.signingSecret').fill('whsec-1234567890-abcdef');
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ has: change });
    await row.getByText('set', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('whsec-1234567890-abcdef');
    await page.getByText('a secret is set').first().waitFor();
    await row.getByRole('button', { name: 'Reset webhooks.github.signingSecret' }).click();
    await row.getByText('not set', { exact: true }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('sets up web search', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/integrations');
    await page.getByText('not available').waitFor();
    await page.getByRole('button', { name: 'Set up Brave' }).click();
    await page.getByLabel('API key').fill('brave-key-1234567890');
    await page.keyboard.press('Enter');
    await page.getByText('available', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('brave-key-1234567890');
    await page.getByRole('button', { name: 'Change web search' }).click();
    await page.getByLabel('Let agents search the web').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('not available').waitFor();
    expect(await inspect(tab, 'integrations-search')).toEqual([]);
    await page.getByRole('button', { name: /^Remove the key of Brave/ }).click();
    await page.getByRole('button', { name: /^Remove the key of Brave/ }).waitFor({ state: 'detached' });
    expect(tab.problems).toEqual([]);
  });

  it('shows others their own connections only', async () => {
    await using tab = await openTab(daemon, { user: await addUser(daemon, 'cem') });
    const { page } = tab;
    await tab.open('/settings/integrations');
    await page.getByRole('link', { name: 'Connect Linear' }).waitFor();
    expect(await page.getByRole('button', { name: /^Change/ }).count()).toBe(0);
    expect(await page.getByText('OAuth app').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });
});
