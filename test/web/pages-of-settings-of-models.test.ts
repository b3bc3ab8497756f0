import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import type { ModelServer } from '../helpers/model-server.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const key = 'sk-browser-1234567890abcdef';
const hostile = `<img src=x onerror=alert(1)>\u202eevil`;

describe.skipIf(!hasBrowser)('the settings of models, tools and guards (needs Chromium)', () => {
  let daemon: TestDaemon;
  let model: ModelServer;
  beforeAll(async () => {
    ({ daemon, model } = await startModelDaemon({ env: { GROQ_API_KEY: 'gsk-of-the-environment-1234' } }));
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });
  const provider = async (type: string) => {
    const { providers } = await daemon.client.providers.list();
    return providers.find((each) => each.type === type);
  };

  it('finds each section by its address, and on a phone behind the name of the open one', async () => {
    await using tab = await openTab(daemon, { width: 390, height: 844 });
    const { page } = tab;
    await tab.open('/settings');
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await page.waitForURL(`${daemon.url}/settings/general`);
    const sections = page.getByRole('navigation', { name: 'Settings' });
    expect(await sections.getByRole('link', { name: 'Guards' }).isVisible()).toBe(false);
    await sections.locator('summary').focus();
    await page.keyboard.press('Enter');
    await sections.getByRole('link', { name: 'Guards' }).click();
    await page.getByRole('heading', { name: 'Guards' }).waitFor();
    await sections.getByRole('link', { name: 'Guards' }).waitFor({ state: 'hidden' });
    await sections.locator('summary').click();
    expect(await inspect(tab, 'settings-menu')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('sets up a provider with a key that is never shown again, checks it and removes the key', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/models');
    await page.getByLabel('Another provider').selectOption('mistral');
    await page.getByRole('button', { name: 'Set up Mistral' }).click();
    await page.getByLabel('API key').fill('with a blank');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Expected a key without blanks').waitFor();
    expect(await inspect(tab, 'models-set-up')).toEqual([]);
    await page.getByLabel('API key').fill(key);
    await page.getByLabel('API key').press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: /^Mistral/ });
    await row.getByText('not tested').waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await provider('mistral')).toMatchObject({ configured: true });
    await row.getByRole('button', { name: 'Edit Mistral' }).click();
    await row.getByLabel('Default model').fill('mistral-small');
    await row.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await row.getByLabel('New API key').fill(key);
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByText('http://127.0.0.1:9/v1').waitFor();
    await row.getByRole('button', { name: 'Check Mistral' }).click();
    await row.getByText('unhealthy').waitFor();
    expect(await inspect(tab, 'models')).toEqual([]);
    await row.getByRole('button', { name: 'More actions for Mistral' }).click();
    await page.getByRole('button', { name: 'Remove the key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the key' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await provider('mistral')).toMatchObject({ configured: false });
    // The browser logs the key that was refused.
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('shows what the environment sets as such, without a way to change it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/models');
    await page.getByRole('button', { name: 'Edit Groq' }).click();
    await page.getByText('Set by the environment variable GROQ_API_KEY.').waitFor();
    expect(await page.getByLabel('New API key').getAttribute('readonly')).not.toBeNull();
    expect(tab.problems).toEqual([]);
  });

  it('adds a server by its name, makes it the default, lists its models and removes it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/models');
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByLabel('Name', { exact: true }).fill('My LLM');
    await page.getByLabel('Base URL').fill(model.url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Check the marked fields.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('my-llm');
    await page.getByLabel('Make it the default provider').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Edit my-llm' }) });
    await row.waitFor();
    await row.getByRole('button', { name: 'Check my-llm' }).click();
    await row.getByText(/^It answered in/).waitFor();
    await row.getByRole('button', { name: 'More actions for my-llm' }).click();
    await page.getByRole('button', { name: 'Show models' }).click();
    await row.getByRole('region', { name: 'Models' }).waitFor();
    expect((await daemon.client.providers.list()).default?.provider).toBe('my-llm');
    expect(await inspect(tab, 'models-server')).toEqual([]);
    await page.reload();
    await row.waitFor();
    await row.getByRole('button', { name: 'More actions for my-llm' }).click();
    await page.getByRole('button', { name: 'Remove the server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await provider('my-llm')).toBeUndefined();
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('chooses the default model', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/models');
    await page.getByLabel('Provider', { exact: true }).selectOption('groq');
    await page.getByLabel('Model', { exact: true }).fill('llama-3.3-70b');
    await page.getByLabel('Model', { exact: true }).press('Enter');
    await page.getByText('Saved.').waitFor();
    expect((await daemon.client.providers.list()).default).toMatchObject({
      provider: 'groq',
      model: 'llama-3.3-70b',
    });
    expect(tab.problems.filter((problem) => !problem.includes('503'))).toEqual([]);
  });

  it('changes the mode, and asks first before the one that never asks', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    const mode = async () => (await daemon.client.policy.get()).defaultMode;
    await tab.open('/settings/tools');
    await page.getByRole('radio', { name: /^full/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await mode()).toBe('ask');
    await page.getByRole('radio', { name: /^allowlist/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('allowlist · in use').waitFor();
    expect(await mode()).toBe('allowlist');
    expect(await inspect(tab, 'tools')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('adds and removes rules, and says which of them have no effect', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/tools');
    const blocked = page.getByLabel('Add to Blocked');
    await blocked.fill('read file');
    await blocked.press('Enter');
    await page.getByText('Expected the name of a tool').waitFor();
    for (const rule of ['read_file', 'nothing_*']) {
      await page.getByLabel('Add to Blocked').fill(rule);
      await page.getByLabel('Add to Blocked').press('Enter');
      await page.getByRole('button', { name: `Remove ${rule} from Blocked` }).waitFor();
      await until(async () => expect(await page.getByLabel('Add to Blocked').inputValue()).toBe(''));
    }
    await page.getByText('It is also blocked, which wins.').waitFor();
    await page.getByText('No tool has this name now.').waitFor();
    const tool = page
      .getByRole('list', { name: 'Tools' })
      .getByRole('listitem')
      .filter({ hasText: 'read_file' });
    await until(async () => expect(await tool.first().innerText()).toContain('blocked, allowed'));
    expect(await inspect(tab, 'tools-rules')).toEqual([]);
    await page.getByRole('button', { name: 'Remove read_file from Blocked' }).click();
    await page.getByRole('button', { name: 'Remove read_file from Blocked' }).waitFor({ state: 'detached' });
    await until(async () => expect((await daemon.client.policy.get()).blockedTools).toEqual(['nothing_*']));
    await page.getByRole('button', { name: 'Leave out results' }).click();
    await page.getByText('Calls, without their results').waitFor();
    expect((await daemon.client.policy.get()).auditAll).toBe(false);
    expect(tab.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('disables a guard only after a confirmation', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/guards');
    await pressEnter(page.getByRole('button', { name: 'Disable rate-limit' }));
    await page.getByText('Disabling it weakens protection').waitFor();
    expect(await inspect(tab, 'guards-disable')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Disable rate-limit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable rate-limit' }).waitFor();
    expect(await inspect(tab, 'guards')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Enable rate-limit' }).click();
    await page.getByRole('button', { name: 'Disable rate-limit' }).waitFor();
    const { guards } = await daemon.client.guards.list();
    expect(guards.every(({ enabled }) => enabled)).toBe(true);
    expect(tab.problems).toEqual([]);
  });

  it('says what is wrong where something cannot be read, and reads it again', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    const refuse = { status: 404, json: { error: 'The guards are out', requestId: 'req_7' } };
    await page.route('**/api/security/guards', (route) => route.fulfill(refuse));
    await tab.open('/settings/guards');
    await page.getByText('The guards are out').waitFor();
    await page.getByText('Request req_7').waitFor();
    expect(await inspect(tab, 'guards-error')).toEqual([]);
    await page.unroute('**/api/security/guards');
    await tryAgain(page, page.getByRole('button', { name: 'Disable rate-limit' }));
    expect(tab.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it('shows text of others as text', async () => {
    await daemon.client.policy.update({ body: { requireApprovalFor: [] } });
    await daemon.client.config.update({ params: { key: 'agents.builtin.model' }, body: { value: hostile } });
    await using tab = await openTab(daemon);
    await tab.open('/settings/models');
    await tab.page.getByText(String.raw`<img src=x onerror=alert(1)>\u{202e}evil`).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('keeps the settings of the daemon from people who are no administrators', async () => {
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/settings/models');
    await page.getByText('Only administrators of this daemon see these settings.').waitFor();
    expect(await page.getByRole('link', { name: 'Guards' }).count()).toBe(0);
    expect(await inspect(tab, 'not-an-admin')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('keeps what is shown and what was typed while the daemon is away, and is complete after its restart', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/tools');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Add to Allowed').fill('grep');
    const { url, home } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    const results = page.getByRole('button', { name: /^(?:Keep|Leave out) results$/ });
    await until(async () => expect(await results.isDisabled()).toBe(true));
    expect(await inspect(tab, 'tools-away')).toEqual([]);
    daemon = await startDaemon({ home, flags: { 'server.port': Number(new URL(url).port) } });
    await daemon.client.policy.update({ body: { blockedTools: ['of_another_tab'] } });
    await page.getByText('Live', { exact: true }).waitFor();
    await until(async () => expect(await results.isEnabled()).toBe(true));
    expect(await page.getByLabel('Add to Allowed').inputValue()).toBe('grep');
    await page.reload();
    await page.getByRole('button', { name: 'Remove of_another_tab from Blocked' }).waitFor();
  });
});
