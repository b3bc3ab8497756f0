import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { NewApproval } from '../../src/core/approvals/approval-facts.ts';
import { newApproval } from '../helpers/approvals.ts';
import {
  closeBrowser,
  hasBrowser,
  inspect,
  openTab,
  type Tab,
  type TabOptions,
  pressEnter,
} from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { newSigner } from '../helpers/signers.ts';
import { until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const pixel =
  'Mozilla/5.0 (Linux; Android 16; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36';

describe.skipIf(!hasBrowser)('decisions that are signed (needs Chromium)', () => {
  let daemon: TestDaemon;
  let calls = 0;
  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });

  const demand = (value: 'never' | 'high-danger' | 'always') =>
    daemon.client.config.update({ params: { key: 'approvals.requireSignature' }, body: { value } });

  /** A person with a phone. */
  async function person(name: string): Promise<TestUser> {
    const user = await addUser(daemon, name);
    const { token } = await daemon.app.sessions.create({
      userId: user.caller.userId,
      kind: 'sign-in',
      client: { userAgent: pixel },
    });
    return { ...user, headers: { cookie: `${sessionCookie}=${token}` } };
  }
  /** A client with the session of the person's phone. */
  const onPhone = ({ headers }: TestUser) =>
    createClient(contract, { baseUrl: daemon.url, fetch: (url, init) => fetch(url, init), headers });

  async function ask({ caller }: TestUser, different: Partial<NewApproval> = {}): Promise<string> {
    const at = `${++calls}`;
    const request = newApproval({
      owner_id: caller.userId,
      run_id: at,
      scope_id: at,
      binding: at,
      task_id: null,
      conversation_id: `conv_${at}`,
      arguments: JSON.stringify({ command: `rm -rf build/${at}` }),
      cwd: '/srv/shop',
      reason: 'rm removes files, which cannot be undone',
      ...different,
    });
    return (await daemon.app.approvals.request(request)).id;
  }
  /** Opens the page of an approval, in a browser that an init script may have changed. */
  async function openApproval(id: string, { script, ...options }: TabOptions & { script?: string }) {
    const tab = await openTab(daemon, { width: 390, height: 844, ...options });
    if (script !== undefined) await tab.page.addInitScript(script);
    await tab.open(`/approvals/${id}`);
    await tab.page.getByRole('button', { name: 'Deny', exact: true }).waitFor();
    return tab;
  }
  /** Presses until it counts: the first moment after the buttons appeared does not. */
  const press = ({ page }: Tab, name: string, shown: string | RegExp) =>
    until(async () => {
      const button = page.getByRole('button', { name, exact: true });
      if ((await button.count()) > 0 && (await button.isEnabled({ timeout: 500 })))
        await button.click({ timeout: 1000 });
      await page.getByText(shown).first().waitFor({ timeout: 500 });
    });
  const decider = async (id: string) =>
    (await daemon.client.approvals.get({ params: { id } })).approval.decider;

  it('signs where nothing asks for it, with a key that nobody can read', async () => {
    await demand('never');
    const ann = await person('ann');
    const [first, second] = [await ask(ann), await ask(ann)];
    await using tab = await openApproval(first, { user: ann });
    await press(tab, 'Allow once', 'By ann on Chrome on Android, signed');
    expect(await inspect(tab, 'approval-signed')).toEqual([]);
    expect(await decider(first)).toMatchObject({ userName: 'ann', via: 'sign-in', signed: true });
    const kept = await tab.page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('svc', 1);
      opening.onerror = reject;
      opening.onsuccess = () => {
        const reading = opening.result.transaction('keys').objectStore('keys').get('decisions');
        reading.onsuccess = async () => {
          const { privateKey } = reading.result;
          const read = await crypto.subtle.exportKey('pkcs8', privateKey).catch(({ name }) => name);
          resolve({ algorithm: privateKey.algorithm.name, extractable: privateKey.extractable, read });
        };
      };
    })`);
    expect(kept).toEqual({ algorithm: 'Ed25519', extractable: false, read: 'InvalidAccessError' });
    await tab.open(`/approvals/${second}`);
    await press(tab, 'Deny', 'By ann on Chrome on Android, signed');
    const { keys } = await onPhone(ann).keys.list();
    expect(keys).toMatchObject([{ current: true, algorithm: 'ed25519', name: 'Chrome on Android' }]);
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true, signedDecisions: 2 });
    await tab.page.reload();
    await tab.page.getByText('By ann on Chrome on Android, signed').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('signs with P-256 in a browser without Ed25519', async () => {
    await demand('always');
    const bob = await person('bob');
    const id = await ask(bob);
    await using tab = await openApproval(id, {
      user: bob,
      script: `const own = crypto.subtle.generateKey.bind(crypto.subtle);
        crypto.subtle.generateKey = async (algorithm, ...rest) => {
          if (algorithm === 'Ed25519') throw new DOMException('no such algorithm', 'NotSupportedError');
          return own(algorithm, ...rest);
        };`,
    });
    await press(tab, 'Allow once', 'By bob on Chrome on Android, signed');
    expect((await onPhone(bob).keys.list()).keys).toMatchObject([{ algorithm: 'p256' }]);
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
    expect(tab.problems).toEqual([]);
  });

  it('signs in two tabs at the same time with one key', async () => {
    await demand('always');
    const cleo = await person('cleo');
    const ids = [await ask(cleo), await ask(cleo)];
    await using tab = await openApproval(ids[0] ?? '', { user: cleo });
    const other: Tab = { ...tab, page: await tab.context.newPage() };
    await other.page.goto(`${daemon.url}/approvals/${ids[1]}`);
    await Promise.all([tab, other].map((each) => press(each, 'Allow once', 'By cleo on')));
    for (const id of ids) expect(await decider(id)).toMatchObject({ signed: true });
    expect((await onPhone(cleo).keys.list()).keys).toHaveLength(1);
  });

  it('makes a new key for a new session of the same browser', async () => {
    await demand('always');
    const dora = await person('dora');
    const [first, second] = [await ask(dora), await ask(dora)];
    await using tab = await openApproval(first, { user: dora });
    await press(tab, 'Allow once', /signed$/);
    const { token } = await daemon.app.sessions.create({ userId: dora.caller.userId, kind: 'sign-in' });
    await tab.context.addCookies([{ name: sessionCookie, value: token, url: daemon.url, httpOnly: true }]);
    await tab.open(`/approvals/${second}`);
    await press(tab, 'Allow once', 'By dora on an unknown client, signed');
    expect((await onPhone(dora).keys.list()).keys).toHaveLength(2);
  });

  it('says on a page over plain http why it cannot sign, and what to do', async () => {
    await demand('high-danger');
    const emil = await person('emil');
    const [risky, other] = [await ask(emil), await ask(emil, { danger: 'medium' })];
    const script = `Object.defineProperty(window, 'isSecureContext', { value: false })`;
    await using tab = await openApproval(risky, { user: emil, script });
    const allow = tab.page.getByRole('button', { name: 'Allow once' });
    await until(async () => expect(await allow.isDisabled()).toBe(true));
    await tab.page.getByText(`svc approvals allow ${risky}`).waitFor();
    expect(await inspect(tab, 'approval-cannot-sign')).toEqual([]);
    await press(tab, 'Deny', 'By emil on Chrome on Android, not signed');
    await tab.open(`/approvals/${other}`);
    await press(tab, 'Allow once', 'By emil on Chrome on Android, not signed');
    expect(await decider(other)).toMatchObject({ signed: false });
    expect(tab.problems).toEqual([]);
  });

  it('says why a signature did not come about; without the need for one it decides without', async () => {
    await demand('always');
    const finn = await person('finn');
    const [first, second] = [await ask(finn), await ask(finn)];
    const script = `indexedDB.open = () => { throw new Error('storage is switched off'); };`;
    await using tab = await openApproval(first, { user: finn, script });
    await press(tab, 'Allow once', 'This browser could not sign: storage is switched off');
    expect(await inspect(tab, 'approval-not-signed')).toEqual([]);
    expect(await decider(first)).toBeUndefined();
    await press(tab, 'Deny', 'not signed');
    await demand('never');
    await tab.open(`/approvals/${second}`);
    await press(tab, 'Allow once', 'By finn on Chrome on Android, not signed');
    expect(tab.problems).toEqual([]);
  });

  it('cannot allow with a key that its person has removed elsewhere', async () => {
    await demand('always');
    const gus = await person('gus');
    const [first, second] = [await ask(gus), await ask(gus)];
    await using tab = await openApproval(first, { user: gus });
    await press(tab, 'Allow once', /signed$/);
    const [key] = (await gus.client.keys.list()).keys;
    await gus.client.keys.remove({ params: { id: key?.id ?? '' } });
    await tab.open(`/approvals/${second}`);
    await press(tab, 'Allow once', 'The signing key of this session was removed');
    expect(await decider(second)).toBeUndefined();
    expect((await daemon.client.approvals.get({ params: { id: second } })).approval.status).toBe('pending');
  });

  it('lists the keys of the person, and takes one away', async () => {
    await demand('never');
    const ida = await person('ida');
    await using tab = await openTab(daemon, { user: ida });
    const { page } = tab;
    await tab.open('/settings/general');
    await page.getByText('Each makes its key when you first allow or deny').waitFor();
    expect(await inspect(tab, 'signing-keys-empty')).toEqual([]);
    await tab.open(`/approvals/${await ask(ida)}`);
    await press(tab, 'Allow once', /signed$/);
    const other = newSigner('p256');
    await ida.client.keys.register({ body: other });
    await tab.open('/settings/general');
    const list = page.getByRole('list', { name: 'Keys that sign your decisions' });
    await list.getByText('Chrome on Android').waitFor();
    await list.getByText('this browser').waitFor();
    await list.getByText(/^P-256, made/).waitFor();
    expect(await inspect(tab, 'signing-keys')).toEqual([]);
    // By keys alone.
    await pressEnter(page.getByRole('button', { name: 'Remove the key of an unknown client' }));
    await page.getByText('It signs no more decisions').waitFor();
    expect(await inspect(tab, 'signing-keys-remove')).toEqual([]);
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await list.getByText('An unknown client').waitFor({ state: 'detached' });
    await page.reload();
    await list.getByText('this browser').waitFor();
    expect((await ida.client.keys.list()).keys).toHaveLength(1);
    expect(tab.problems).toEqual([]);
  });

  it('shows the names that people gave their devices as text', async () => {
    const id = await ask(await person('hugo'));
    const name = '<b>Pixel</b> \u202e8';
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('approvals')
        .set({
          status: 'approved',
          decision: 'allow-once',
          decided_at: new Date().toISOString(),
          decided_by: 'user_hugo',
          decider: JSON.stringify({
            userId: 'user_hugo',
            userName: 'hugo',
            via: 'device',
            deviceName: name,
            signed: true,
          }),
        })
        .where('id', '=', id)
        .execute(),
    );
    await using tab = await openTab(daemon);
    await tab.open(`/approvals/${id}`);
    await tab.page.getByText(String.raw`By hugo on <b>Pixel</b> \u{202e}8, signed`).waitFor();
    expect(await inspect(tab, 'approval-of-device')).toEqual([]);
  });
});
