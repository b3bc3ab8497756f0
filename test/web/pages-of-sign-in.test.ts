import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, type Tab } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { hasSharedFixtures } from '../helpers/shared-fixture.ts';
import { startVendors, type VendorStub } from '../helpers/vendor-stub.ts';

const password = 'correct horse 1';
/** The browser itself logs the refused requests. */
const unexpected = ({ problems }: Tab) => problems.filter((line) => !/\b(?:400|401|403|429)\b/.test(line));
const cloud = { 'system.authMode': 'cloud' } as const;

async function signUp({ url }: TestDaemon, body: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password, ...body }),
  });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** A daemon in cloud mode with an administrator, and the session of that one. */
async function cloudDaemon(flags = {}): Promise<{ daemon: TestDaemon; cookie: string }> {
  const daemon = await startDaemon({ flags: { ...cloud, ...flags } });
  return { daemon, cookie: await signUp(daemon, { email: 'ann@example.org', name: 'Ann' }) };
}

async function invite({ url }: TestDaemon, cookie: string, email?: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/invites`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ ...(email && { email }) }),
  });
  return ((await response.json()) as { code: string }).code;
}

async function fillSignUp({ page }: Tab, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@example.org`);
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Password').press('Enter');
}

describe.skipIf(!hasBrowser)('the pages to sign in and up (need Chromium)', () => {
  afterAll(closeBrowser);

  describe('in cloud mode', () => {
    let daemon: TestDaemon;
    let cookie: string;
    beforeAll(async () => {
      ({ daemon, cookie } = await cloudDaemon());
    });
    afterAll(() => daemon[Symbol.asyncDispose]());

    it('says that the password is wrong, and when to try again after too many attempts', async () => {
      await using tab = await openTab(daemon, { user: null });
      const { page } = tab;
      await tab.open('/tasks');
      await page.getByLabel('E-mail').fill('ann@example.org');
      await page.getByLabel('Password').fill('wrong password 1');
      await page.getByLabel('Password').press('Enter');
      await page.getByText('E-mail or password is wrong').waitFor();
      expect(await page.getByText('Access key').count()).toBe(0);
      expect(await page.getByText('svc ui').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Sign in with GitHub' }).count()).toBe(0);
      for (let attempt = 0; attempt < 9; attempt++)
        await fetch(`${daemon.url}/api/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'ann@example.org', password: 'x' }),
        });
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Too many login attempts.').waitFor();
      const again = page.getByRole('button', { name: /^Try again in \d:\d\d$/ });
      await again.waitFor();
      expect(await again.isDisabled()).toBe(true);
      expect(await inspect(tab, 'sign-in-limited')).toEqual([]);
      expect(unexpected(tab)).toEqual([]);
    });

    it('creates an account with the invite of a link, which leaves the address', async () => {
      const code = await invite(daemon, cookie);
      await using tab = await openTab(daemon, { user: null });
      const { page } = tab;
      await tab.open(`/sign-up?invite=${code}`);
      await page.getByRole('heading', { name: 'Create an account' }).waitFor();
      await page.getByText('You have an invite').waitFor();
      await page.waitForURL(`${daemon.url}/sign-up`);
      expect(await inspect(tab, 'sign-up-invite')).toEqual([]);
      await fillSignUp(tab, 'bob');
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await page.getByRole('button', { name: 'Sign out bob' }).waitFor();
      expect(tab.problems.filter((line) => !line.includes('401'))).toEqual([]);

      await using second = await openTab(daemon, { user: null });
      await second.open(`/sign-up?invite=${code}`);
      await fillSignUp(second, 'eve');
      await second.page.getByText('This invite has been used. An invite is for one account.').waitFor();
      expect(await inspect(second, 'sign-up-used')).toEqual([]);
      expect(unexpected(second)).toEqual([]);
    });

    it('continues at paths of this daemon only', async () => {
      await using tab = await openTab(daemon, { user: null });
      const { page } = tab;
      await page.route('https://evil.example/**', (route) => route.abort());
      for (const [returnTo, expected] of [
        ['//evil.example/', '/'],
        ['/\\evil.example', '/'],
        ['https://evil.example/', '/'],
        ['/tasks?status=failed', '/tasks?status=failed'],
      ] as const) {
        await tab.context.clearCookies();
        await tab.open(`/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
        await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor();
        const { token } = await daemon.app.sessions.create({
          userId: (await daemon.app.database.read.selectFrom('users').select('id').executeTakeFirstOrThrow())
            .id,
          kind: 'sign-in',
        });
        await tab.context.addCookies([{ name: 'service_session', value: token, url: daemon.url }]);
        await tab.open(`/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
        await page.waitForURL(`${daemon.url}${expected}`);
      }
    });
  });

  it('says that an invite has expired, is for another address, or is not valid', async () => {
    const { daemon, cookie } = await cloudDaemon();
    await using _ = daemon;
    const expired = await invite(daemon, cookie);
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('invites')
        .set({ expires_at: '2026-01-01T00:00:00.000Z' })
        .where('used_at', 'is', null)
        .execute(),
    );
    const bound = await invite(daemon, cookie, 'carl@example.org');
    await using tab = await openTab(daemon, { user: null });
    for (const [code, sentence] of [
      [expired, 'This invite has expired.'],
      [bound, 'This invite is for another e-mail address.'],
    ] as const) {
      await tab.open(`/sign-up?invite=${code}`);
      await fillSignUp(tab, 'dan');
      await tab.page.getByText(sentence).waitFor();
    }
    await tab.open('/');
    await tab.page.getByRole('link', { name: 'Sign up with an invite' }).click();
    await tab.page.getByLabel('Name').waitFor();
    await fillSignUp(tab, 'dan');
    await tab.page.getByText('Enter the invite code.').waitFor();
    await tab.page.getByLabel('Invite code').fill('made-up');
    await tab.page.getByRole('button', { name: 'Create account' }).click();
    await tab.page.getByText('The invite code is not valid.').waitFor();
    expect(unexpected(tab)).toEqual([]);
  });

  it('shows what is wrong at the field', async () => {
    const { daemon, cookie } = await cloudDaemon();
    await using _ = daemon;
    const code = await invite(daemon, cookie);
    await using tab = await openTab(daemon, { user: null });
    const { page } = tab;
    await tab.open(`/sign-up?invite=${code}`);
    await page.getByLabel('Name').fill('Dan');
    await page.getByLabel('E-mail').fill('dan');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The password needs at least 8 characters').waitFor();
    await page.locator('[type=email][aria-invalid=true]').waitFor();
    expect(await inspect(tab, 'sign-up-problems')).toEqual([]);
  });

  it('creates an account without an invite where sign-up is open', async () => {
    await using daemon = await startDaemon({
      flags: { ...cloud, 'system.registrationMode': 'open' },
    });
    await signUp(daemon, { email: 'ann@example.org', name: 'Ann' });
    await using tab = await openTab(daemon, { user: null });
    await tab.open('/');
    await tab.page.getByRole('link', { name: 'Create an account' }).click();
    await tab.page.getByLabel('Name').waitFor();
    expect(await inspect(tab, 'sign-up-open')).toEqual([]);
    await fillSignUp(tab, 'fay');
    await tab.page.getByRole('button', { name: 'Sign out fay' }).waitFor();
  });

  describe.skipIf(!hasSharedFixtures)('with GitHub', () => {
    let vendors: VendorStub;
    beforeAll(async () => {
      vendors = await startVendors();
    });
    afterAll(() => vendors?.[Symbol.asyncDispose]());

    it('signs in and comes back to the same address', async () => {
      const { daemon } = await cloudDaemon({ ...vendors.flags, 'system.registrationMode': 'open' });
      await using _ = daemon;
      await using tab = await openTab(daemon, { user: null });
      const { page } = tab;
      await tab.open('/tasks?status=failed');
      const link = page.getByRole('link', { name: 'Sign in with GitHub' });
      await link.waitFor();
      expect(await inspect(tab, 'sign-in-github')).toEqual([]);
      await link.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
      await page.waitForURL(`${daemon.url}/tasks?status=failed`);
      expect(unexpected(tab)).toEqual([]);
    });

    it('says in the page why GitHub did not help, once, and offers the other ways', async () => {
      const { daemon } = await cloudDaemon(vendors.flags);
      await using _ = daemon;
      await using tab = await openTab(daemon, { user: null });
      const { page } = tab;
      await tab.open('/');
      await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
      await page.getByText('An invite is required.').waitFor();
      await page.waitForURL(`${daemon.url}/sign-in`);
      expect(await inspect(tab, 'sign-in-refused')).toEqual([]);
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor();
      expect(await page.getByText('An invite is required.').count()).toBe(0);
      await tab.open('/api/auth/codehost/callback?state=made-up&code=x');
      await page.getByRole('alert').waitFor();
      expect(unexpected(tab)).toEqual([]);
    });
  });
});
