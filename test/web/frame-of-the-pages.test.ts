import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';

describe.skipIf(!hasBrowser)('the frame of the pages (needs Chromium)', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  it('asks who comes without a session to sign in, and continues where they wanted to go', async () => {
    await daemon.client.auth.updateAccessKey({ body: { key: 'open-sesame-1' } });
    await using tab = await openTab(daemon, { user: null });
    const { page, problems } = tab;
    await tab.open('/tasks?status=failed');
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor();
    expect(await inspect(tab, 'sign-in')).toEqual([]);
    await page.getByLabel('Access key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Access key').fill('open-sesame-1');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.waitForURL(`${daemon.url}/tasks?status=failed`);
    // The browser itself logs the refused requests.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('signs a browser in with a link once a person confirms, and takes the token out of the address', async () => {
    const { url } = await daemon.client.auth.createSignInLink();
    await using tab = await openTab(daemon, { user: null });
    await tab.page.goto(url);
    await tab.page.getByRole('heading', { name: 'Sign this browser in?' }).waitFor();
    await tab.page.waitForURL(`${daemon.url}/sign-in`);
    expect(await inspect(tab, 'sign-in-link')).toEqual([]);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await tab.page.getByRole('button', { name: /^Sign out/ }).waitFor();
  });

  it('finds pages by keys and by the palette', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search pages, tasks and actions' });
    await search.fill('dead');
    expect(await inspect(tab, 'palette')).toEqual([]);
    await search.press('Enter');
    await page.waitForURL('**/dead-letters');
    await tab.open('/agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    // What the page can do comes first.
    await page.getByRole('option', { name: 'Add an agent This page' }).waitFor();
    await search.fill('add an');
    await search.press('Enter');
    await page.getByRole('dialog', { name: 'Add an agent' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    expect(tab.problems).toEqual([]);
  });

  it('keeps the page when the session ends, and lets the same person in again over it', async () => {
    const { token } = await daemon.client.auth.createSignInLink();
    await using tab = await openTab(daemon, { user: null });
    const { page } = tab;
    await page.goto(`${daemon.url}/sign-in#${token}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    const { sessions } = await daemon.client.sessions.list();
    const browser = sessions.find(({ kind }) => kind === 'sign-in');
    await daemon.client.sessions.revoke({ params: { id: browser?.id ?? '' } });
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Tasks', level: 1, includeHidden: true }).count()).toBe(1);
    await page.getByLabel('Access key').fill('open-sesame-1');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
