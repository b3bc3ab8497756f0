import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeBrowser,
  hasBrowser,
  inspect,
  openTab,
  pressEnter,
  type Tab,
  untilFocused,
} from '../helpers/browser.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { sized } from '../helpers/long.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer } from '../helpers/model-server.ts';
import { newPushBrowser, startPushService } from '../helpers/push-browser.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const phone = { width: 390, height: 844 };
const hostile = `<img src=x onerror=alert(1)> \u202eevil`;

describe.skipIf(!hasBrowser)('a phone (needs Chromium)', () => {
  let daemon: TestDaemon;
  let model: ModelServer;
  beforeAll(async () => {
    ({ daemon, model } = await startModelDaemon({ flags: { 'outbound.allowPrivate': ['127.0.0.0/8'] } }));
    // Without a key, every browser on this machine is the owner.
    await daemon.client.auth.updateAccessKey({ body: { key: 'a key of eight' } });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  /** A task whose agent asks for one call. */
  async function ask(title: string, args: Record<string, unknown> = { path: 'a.md', content: 'x' }) {
    model.script = callsTools([[{ name: 'write_file', args }]]);
    const { task } = await daemon.client.tasks.create({
      body: { title, prompt: 'Write it.', assignedAgent: 'builtin', securityMode: 'ask' },
    });
    return until(async () => {
      const { approvals } = await daemon.client.approvals.list();
      const approval = approvals.find(({ taskId }) => taskId === task.id);
      if (!approval) throw new Error('there is no approval yet');
      return { task, approval };
    });
  }

  /** Shows a code in the tab; answers the link of it. */
  async function showCode({ page }: Tab): Promise<string> {
    await page.getByRole('button', { name: 'Show a code' }).click();
    await page.getByAltText('QR code of the link below').waitFor();
    return page.getByRole('group', { name: 'link' }).innerText();
  }

  /** Opens the link on a new phone and asks with it. */
  async function askToPair(link: string, name: string): Promise<Tab> {
    const tab = await openTab(daemon, { user: null, ...phone });
    const { pathname, hash } = new URL(link);
    await tab.open(`${pathname}${hash}`);
    await tab.page.getByLabel('Name of this device').fill(name);
    await tab.page.getByRole('button', { name: 'Ask to pair' }).click();
    return tab;
  }

  /** Presses a button of who asks until the moment is over in which it ignores input. */
  async function decide({ page }: Tab, name: 'Approve' | 'Reject'): Promise<void> {
    const asks = page.getByRole('button', { name, exact: true });
    await asks.waitFor();
    await until(async () => {
      if (await asks.isVisible()) await asks.click({ timeout: 1000 });
      expect(await asks.count()).toBe(0);
    });
  }

  async function pair(name: string): Promise<Tab> {
    await using laptop = await openTab(daemon);
    await laptop.open('/settings/devices');
    const tab = await askToPair(await showCode(laptop), name);
    await decide(laptop, 'Approve');
    await tab.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    // Who opens the link is not signed in yet.
    tab.problems.length = 0;
    return tab;
  }

  it(
    'is paired by a code that another browser shows, and only there approved',
    { timeout: sized(60_000, 180_000) },
    async () => {
      await using laptop = await openTab(daemon);
      await laptop.open('/settings/devices');
      await laptop.page.getByText('Paired devices are listed here.').waitFor();
      expect(await inspect(laptop, 'devices-empty')).toEqual([]);
      const link = await showCode(laptop);
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair#[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}$/);
      await laptop.page.getByText('Only this machine can reach this address.').waitFor();
      expect(await inspect(laptop, 'devices-code')).toEqual([]);
      await using tab = await openTab(daemon, { user: null, ...phone });
      await tab.open(new URL(link).pathname + new URL(link).hash);
      await tab.page.getByRole('heading', { name: 'Pair this device?' }).waitFor();
      await until(() => expect(new URL(tab.page.url()).hash).toBe(''));
      expect(await inspect(tab, 'pair')).toEqual([]);
      await tab.page.getByLabel('Name of this device').fill(hostile);
      await tab.page.getByLabel('Name of this device').press('Enter');
      await tab.page.getByText('Waiting for approval').waitFor();
      expect(await inspect(tab, 'pair-waiting')).toEqual([]);
      await laptop.page
        .getByText(String.raw`<img src=x onerror=alert(1)> \u{202e}evil asks to be paired`)
        .waitFor();
      await laptop.page.getByText('127.0.0.1', { exact: true }).waitFor();
      await laptop.page.getByText('Chrome on Linux').waitFor();
      expect(await inspect(laptop, 'devices-asks')).toEqual([]);
      // The code is used up, and the token is for no script.
      await using thief = await openTab(daemon, { user: null, ...phone });
      await thief.open(new URL(link).pathname + new URL(link).hash);
      await thief.page.getByRole('button', { name: 'Ask to pair' }).click();
      await thief.page.getByText('This code was already used. Show a new one.').waitFor();
      await decide(laptop, 'Approve');
      await tab.page.getByText('Nothing needs you.').waitFor();
      const cookies = await tab.context.cookies();
      expect(cookies).toMatchObject([{ name: 'service_session', httpOnly: true, sameSite: 'Lax' }]);
      expect(
        await tab.page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])'),
      ).not.toContain(cookies[0]?.value);
      const item = laptop.page.getByRole('list', { name: 'Paired devices' }).getByRole('listitem');
      await item.getByText('Looks, decides and cancels').waitFor();
      expect(await inspect(laptop, 'devices')).toEqual([]);
      // Renamed and revoked by keys alone.
      await pressEnter(item.getByRole('button', { name: /^Rename/ }));
      await laptop.page.getByRole('textbox', { name: 'Name' }).fill('Phone of Ada');
      await laptop.page.getByRole('textbox', { name: 'Name' }).press('Enter');
      await item.getByText('Phone of Ada', { exact: true }).waitFor();
      await laptop.page.reload();
      await pressEnter(item.getByRole('button', { name: 'Revoke Phone of Ada' }));
      await pressEnter(laptop.page.getByRole('button', { name: 'Revoke', exact: true }));
      await item.waitFor({ state: 'detached' });
      // At once, without that the phone asks for anything.
      await tab.page.getByText('Your session has ended.').waitFor();
      expect(laptop.problems).toEqual([]);
    },
  );

  it('says that a request was rejected, and that a link has no code', async () => {
    await using laptop = await openTab(daemon);
    await laptop.open('/settings/devices');
    await using tab = await askToPair(await showCode(laptop), 'Tablet');
    await decide(laptop, 'Reject');
    await tab.page.getByText('The request was rejected.').waitFor();
    await laptop.page.getByText('Tablet was rejected.').waitFor();
    await tab.open('/pair');
    await tab.page.getByRole('heading', { name: 'No pairing code' }).waitFor();
    expect(await inspect(tab, 'pair-no-code')).toEqual([]);
  });

  it('shows another code when the first has expired', async () => {
    await using laptop = await openTab(daemon);
    await laptop.page.clock.install();
    await laptop.open('/settings/devices');
    await laptop.page.getByRole('button', { name: 'Show a code' }).click();
    await laptop.page.getByAltText('QR code of the link below').waitFor();
    await laptop.page.clock.runFor(10 * 60_000);
    await laptop.page.getByText('This code has expired.').waitFor();
    expect(await laptop.page.getByAltText('QR code of the link below').count()).toBe(0);
    await laptop.page.getByRole('button', { name: 'Show a new code' }).click();
  });

  it('looks, decides and cancels, and shows nothing else', { timeout: sized(60_000, 180_000) }, async () => {
    const { task, approval } = await ask('Write the notes');
    await using tab = await pair('Phone');
    const { page } = tab;
    await page.getByRole('article', { name: 'Allow write_file?' }).waitFor();
    expect(await inspect(tab, 'phone-inbox')).toEqual([]);
    await tab.open('/tasks');
    await page.getByText('Write the notes').waitFor();
    expect(await page.getByRole('link', { name: 'New task' }).count()).toBe(0);
    await tab.open('/tasks/new');
    await page.getByText('Not on this device').waitFor();
    expect(await inspect(tab, 'phone-not-here')).toEqual([]);
    await tab.open('/settings');
    await page.locator('summary', { hasText: 'General' }).click();
    await page.getByRole('link', { name: 'Notifications' }).waitFor();
    expect(await page.getByRole('link', { name: 'Devices' }).count()).toBe(0);
    // The daemon refuses what the pages do not offer.
    const refused = (await page.evaluate(`Promise.all([
      ['POST', '/api/tasks', { prompt: 'x' }], ['GET', '/api/config'], ['POST', '/api/tokens', { name: 'x', scopes: ['tasks:read'] }],
      ['POST', '/api/tasks/${task.id}/retry'], ['GET', '/api/devices/pairing/qr'], ['POST', '/api/auth/sign-in-links', {}],
    ].map(([method, path, body]) => fetch(path, { method, headers: { 'content-type': 'application/json' }, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) })
      .then(async (response) => response.status + ' ' + await response.text())))`)) as string[];
    for (const answer of refused) {
      expect(answer).toMatch(/^403 /);
      expect(answer).toContain('This device may only look, decide on approvals and cancel tasks.');
    }
    await tab.open(`/approvals/${approval.id}`);
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    await untilFocused(page, 'textContent', 'Approval');
    await until(async () => {
      if (await allow.isVisible()) await allow.click({ timeout: 1000 });
      expect(await page.getByText(/^Allowed, /).count()).toBe(1);
    });
    await until(async () =>
      expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('completed'),
    );
    const other = await ask('Never mind');
    await tab.open(`/tasks/${other.task.id}`);
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  it('shows a call whole on a small screen, and its buttons ignore a tap that was meant for something else', async () => {
    const content = Array.from({ length: 400 }, (_, n) => `line ${n} of a long file`).join('\n');
    const { approval } = await ask('A long one', {
      path: `a/${'very-long-folder/'.repeat(12)}file.md`,
      content,
    });
    await using tab = await openTab(daemon, { width: 320, height: 568 });
    const { page } = tab;
    await tab.open(`/approvals/${approval.id}`);
    const deny = page.getByRole('button', { name: 'Deny', exact: true });
    await deny.waitFor();
    const sizes = () =>
      page.evaluate(`({
      isWide: document.documentElement.scrollWidth > innerWidth,
      inner: [...document.querySelectorAll('dd pre')].filter((each) => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1).length,
      small: [...document.querySelectorAll('[data-sticky] button')].filter((each) => each.getBoundingClientRect().height < 44).length,
      bottom: document.querySelector('[data-decision=deny]').getBoundingClientRect().bottom <= innerHeight,
      isShown: document.body.innerText.includes('line 399 of a long file'),
    })`);
    await until(async () =>
      expect(await sizes()).toEqual({ isWide: false, inner: 0, small: 0, bottom: true, isShown: true }),
    );
    expect(await inspect(tab, 'approval-long')).toEqual([]);
    // What moves the buttons makes them deaf for a moment.
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 500))`);
    const decided = await page.evaluate(`(async () => {
      const button = document.querySelector('[data-decision=allow]');
      const bar = document.querySelector('[data-sticky]');
      // Right after the page has noticed the move: on a busy machine the next frame may come when the moment is over.
      const moved = new Promise((resolve) => {
        new ResizeObserver(() => resolve(button.click())).observe(bar, { box: 'border-box' });
      });
      bar.style.paddingBlockEnd = '40px';
      await moved;
      return button.disabled;
    })()`);
    expect(decided).toBe(false);
    expect((await daemon.client.approvals.get({ params: { id: approval.id } })).approval.status).toBe(
      'pending',
    );
    // Somebody else was faster.
    await daemon.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'deny' } });
    await page.getByText(/^Denied, /).waitFor();
    expect(await deny.count()).toBe(0);
    expect(await inspect(tab, 'approval-decided')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('can be installed', async () => {
    await using tab = await openTab(daemon, phone);
    await tab.open('/');
    await tab.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const cdp = await tab.context.newCDPSession(tab.page);
    const { data, errors } = await cdp.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect(JSON.parse(data ?? '')).toMatchObject({ name: 'svc', display: 'standalone', start_url: '/' });
    expect((await cdp.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([
      // The profile of a test is one.
      expect.objectContaining({ errorId: 'in-incognito' }),
    ]);
    for (const path of [
      '/icon-192.png',
      '/icon-512.png',
      '/icon-maskable-512.png',
      '/apple-touch-icon.png',
    ]) {
      const response = await fetch(new URL(path, daemon.url));
      expect(response.headers.get('content-type')).toBe('image/png');
    }
  });

  describe('with notifications', () => {
    /** A push service for a browser that cannot reach the one of its maker. */
    async function withPush(tab: Tab, endpoint: string) {
      const browser = newPushBrowser(endpoint);
      await tab.context.grantPermissions(['notifications']);
      await tab.page.addInitScript(`
        const subscription = ${JSON.stringify(browser.subscription)};
        PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
          globalThis.asked = { userVisibleOnly, applicationServerKey };
          return { toJSON: () => subscription };
        };`);
      return browser;
    }

    it('hears of an approval and of its end, opens it, and no more once it is revoked', async () => {
      await using service = await startPushService();
      await using tab = await pair('Phone with push');
      const browser = await withPush(tab, `${service.url}/send/secret-1`);
      const { page } = tab;
      await tab.open('/settings/notifications');
      await page.getByRole('button', { name: 'Notify me on this device' }).click();
      await page.getByText('Notifications arrive here from now on.').waitFor();
      expect(await page.getByText('Through ntfy').count()).toBe(0);
      expect(await inspect(tab, 'notifications')).toEqual([]);
      expect(tab.problems).toEqual([]);
      const { publicKey } = await daemon.client.push.list();
      expect(await page.evaluate('globalThis.asked')).toEqual({
        userVisibleOnly: true,
        applicationServerKey: publicKey,
      });
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('A test is on its way.').waitFor();
      const { approval } = await ask('Write a secret plan', { path: 'plan.md', content: 'the plan' });
      const said = await until(() => {
        const found = service.messages.map(({ body }) => browser.read(body));
        if (found.length < 2) throw new Error('nothing was sent yet');
        return found;
      });
      expect(said).toMatchObject([
        { kind: 'test' },
        { kind: 'approval', title: 'Allow write_file?', link: `/approvals/${approval.id}` },
      ]);
      expect(JSON.stringify(said)).not.toContain('plan');
      expect(service.messages[1]?.headers).toMatchObject({ topic: said[1]?.tag, urgency: 'high' });

      // The worker shows what arrives, and a tap opens it.
      const shown = await deliver(tab, said[1]);
      expect(shown).toEqual([{ title: 'Allow write_file?', tag: said[1]?.tag, link: said[1]?.link }]);
      await daemon.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'deny' } });
      const last = await until(() => {
        if (service.messages.length < 3) throw new Error('nothing was sent yet');
        return browser.read(service.messages[2]?.body ?? Buffer.of());
      });
      expect(last).toMatchObject({ kind: 'decided', tag: said[1]?.tag });
      expect(last.title).toMatch(/^write_file: denied by /);
      // Somebody looks at svc already: the question only goes.
      expect(await deliver(tab, last)).toEqual([]);

      const { devices } = await daemon.client.devices.list();
      const own = devices.find(({ name }) => name === 'Phone with push');
      await daemon.client.devices.revoke({ params: { id: own?.id ?? '' } });
      const { approval: next } = await ask('Unheard');
      await until(async () =>
        expect(await daemon.app.database.read.selectFrom('push_subscriptions').selectAll().execute()).toEqual(
          [],
        ),
      );
      expect(service.messages).toHaveLength(3);
      await daemon.client.approvals.decide({ params: { id: next.id }, body: { decision: 'deny' } });
    });

    /** What the worker shows after a push message. */
    async function deliver({ page, context }: Tab, payload: unknown): Promise<unknown> {
      const cdp = await context.newCDPSession(page);
      const registrations = new Promise<string>((resolve) => {
        cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
          if (first) resolve(first.registrationId);
        });
      });
      await cdp.send('ServiceWorker.enable');
      const registrationId = await registrations;
      const before = await page.evaluate(count);
      await cdp.send('ServiceWorker.deliverPushMessage', {
        origin: daemon.url,
        registrationId,
        data: JSON.stringify(payload),
      });
      await until(async () => expect(await page.evaluate(count)).not.toBe(before));
      await cdp.detach();
      return page.evaluate(`navigator.serviceWorker.ready
        .then((registration) => registration.getNotifications())
        .then((all) => all.map(({ title, tag, data }) => ({ title, tag, link: data })))`);
    }
    const count = `navigator.serviceWorker.ready.then((registration) => registration.getNotifications()).then((all) => all.length)`;

    it('says why there are none over http, and takes a topic of ntfy', async () => {
      const ann = await addUser(daemon, 'ann');
      await using service = await startPushService();
      await using tab = await openTab(daemon, { user: ann });
      await tab.page.addInitScript(`Object.defineProperty(globalThis, 'isSecureContext', { value: false })`);
      await tab.open('/settings/notifications');
      await tab.page.getByText('Browsers allow notifications only for pages over https').waitFor();
      expect(await inspect(tab, 'notifications-insecure')).toEqual([]);
      await tab.page.getByRole('button', { name: 'Add the topic' }).click();
      await tab.page.locator('input[name=url][aria-invalid=true]').waitFor();
      tab.problems.length = 0;
      await tab.page.getByLabel('Address of the topic').fill(`${service.url}/my-topic`);
      await tab.page.getByLabel('Address of the topic').press('Enter');
      await tab.page.getByText('Added. Approvals and failures are sent there.').waitFor();
      expect((await ann.client.webhooks.list()).webhooks).toMatchObject([
        { url: `${service.url}/my-topic`, format: 'text', events: ['approval.requested', 'task.failed'] },
      ]);
      expect(tab.problems).toEqual([]);
    });
  });
});
