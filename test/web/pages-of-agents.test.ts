import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpProgram } from '../helpers/agents/acp-settings.ts';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, tryAgain } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m`;
const key = 'agents.added';

describe.skipIf(!hasBrowser)('the pages of agents (needs Chromium)', () => {
  const held = heldAdapter({ type: 'held', name: 'Held' });
  const closed = testAdapter(async () => ({ output: '' }), {
    type: 'closed',
    name: 'Closed',
    closedForMs: () => 3_600_000,
  });
  const odd = testAdapter(async () => ({ output: '' }), {
    type: 'odd',
    name: hostile,
    checkHealth: async () => ({ healthy: false, message: hostile }),
  });
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({
      extraAdapters: [held.adapter, closed, odd],
      flags: { 'queue.concurrencyPerAgent': { held: 2 } },
    });
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
  });
  const added = async () => {
    const { settings } = await daemon.client.config.list();
    return settings.find((setting) => setting.key === key)?.value as Record<string, object>;
  };
  const set = (value: Record<string, object> | null) =>
    daemon.client.config.update({ params: { key }, body: { value: value as never } });

  it('lists all agents with what to do next, and what works on tasks now', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents');
    const item = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await item('Claude Code').getByText('Install it: npm install -g @anthropic-ai/claude-code').waitFor();
    await item('Built-in agent').getByRole('link', { name: 'Settings, Models' }).waitFor();
    await item('HTTP').getByRole('link', { name: 'set agents.http.url' }).waitFor();
    await item('Closed').getByText('Its usage limit is reached. It takes tasks again at').waitFor();
    await page.getByText('in a sandbox').or(page.getByText('no sandbox')).first().waitFor();
    const names = await page.getByRole('list', { name: 'Agents' }).getByRole('link').allInnerTexts();
    expect(names.indexOf('Held')).toBeLessThan(names.indexOf('Claude Code'));
    expect(names).toContain(String.raw`<img src=x onerror=alert(1)> \u{202e}evil\u{202c} \x1b[31m`);
    const before = held.runs.length;
    await daemon.client.tasks.create({ body: { title: 'x', assignedAgent: 'held' } });
    await held.started(before);
    await item('Held').getByText('1 of 2 slots in use').waitFor();
    expect(await inspect(tab, 'agents')).toEqual([]);
    held.runs[before]?.succeed();
    await item('Held').getByText('slots in use').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Claude Code' }).click();
    await page.waitForURL('**/agents/claude');
    await page.getByText('run claude once and log in').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Change agents.claude.model' }));
    await page.getByLabel('Value of agents.claude.model').fill('opus');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset agents.claude.model' }).waitFor();
    expect(await inspect(tab, 'agent-absent')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('adds and tests an agent by keys', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents');
    await page.getByRole('link', { name: 'Add an agent' }).press('Enter');
    await page.waitForURL('**/agents?add=true');
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Add an agent' });
    await dialog.getByLabel('Name').fill('claude');
    await pressEnter(dialog.getByRole('button', { name: 'Add' }));
    await dialog.getByText('There is an agent “claude” already.').waitFor();
    await dialog.getByText('Say which program').waitFor();
    expect(await inspect(tab, 'agent-add')).toEqual([]);
    const { program, args } = acpProgram();
    await dialog.getByLabel('Name').fill('demo');
    await dialog.getByLabel('Program').fill(program);
    await dialog.getByLabel('Arguments').fill(args.join('\n'));
    await dialog.getByLabel('Tokens per task').fill('5');
    await dialog.getByLabel('Variables').fill('DEMO_KEY=secret-value\nOTHER=x=y');
    await pressEnter(dialog.getByRole('button', { name: 'Add' }));
    await dialog.getByText('expected number to be >=1000').waitFor();
    tab.problems.length = 0;
    await dialog.getByLabel('Tokens per task').fill('5000');
    await pressEnter(dialog.getByRole('button', { name: 'Add' }));
    await page.waitForURL('**/agents/demo');
    await page.getByRole('heading', { name: 'demo', level: 1 }).waitFor();
    await page.getByText('DEMO_KEY, OTHER').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Test it' }));
    await page.getByText('demo works.').waitFor();
    await page.getByRole('list', { name: 'Steps of the test' }).getByText('Denied command').waitFor();
    expect(await inspect(tab, 'agent-tested')).toEqual([]);
    expect(await added()).toMatchObject({ demo: { program, args, maxTokens: 5000 } });
    expect(tab.problems).toEqual([]);
    await set(null);
  });

  it('changes and removes an agent by keys; its variables are never shown', async () => {
    const { program, args } = acpProgram();
    const env = { DEMO_KEY: 'secret-value', OTHER: 'x=y' };
    await set({ demo: { program, args, env, maxTokens: 5000 } });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents/demo');
    await page.getByRole('link', { name: 'Change' }).press('Enter');
    const change = page.getByRole('dialog', { name: 'Change demo' });
    await until(async () => expect(await change.getByLabel('Program').inputValue()).toBe(program));
    await change.getByLabel('Model').fill('small');
    await change.getByLabel('OTHER').check();
    expect(await inspect(tab, 'agent-change')).toEqual([]);
    expect(await page.content()).not.toContain('secret-value');
    await pressEnter(change.getByRole('button', { name: 'Save' }));
    await change.waitFor({ state: 'detached' });
    await page.getByText('small', { exact: true }).waitFor();
    expect(await added()).toMatchObject({ demo: { program, args, model: 'small', maxTokens: 5000 } });
    const { agent } = await daemon.client.agents.get({ params: { type: 'demo' } });
    expect(agent.envNames).toEqual(['DEMO_KEY']);
    await pressEnter(page.getByRole('button', { name: 'Remove' }));
    await page.waitForURL('**/agents');
    await page.getByText('Removed demo.').waitFor();
    await page.getByRole('link', { name: 'demo' }).waitFor({ state: 'detached' });
    await pressEnter(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('link', { name: 'demo' }).click();
    await pressEnter(page.getByRole('button', { name: 'Remove' }));
    await until(async () => expect(await added()).toEqual({}));
    expect(tab.problems).toEqual([]);
  });

  it('shows a failed test and its reason, and what a sandbox lets an agent see', async () => {
    await set({ broken: acpProgram('--no-such-flag'), ghost: { program: '/nope/ghost' } });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents/ghost');
    await page.getByText('/nope/ghost, the program of the agent "ghost", was not found').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Test it' }));
    await page.getByText('ghost does not work yet.').waitFor();
    await page
      .getByText('What it lets it see and reach')
      .or(page.getByText('There is none, because'))
      .waitFor();
    const details = page.getByText('What it lets it see and reach');
    if (await details.isVisible()) {
      await details.press('Enter');
      await page.getByText('Cannot see').waitFor();
    }
    expect(await inspect(tab, 'agent-failed')).toEqual([]);
    await tab.open('/agents/nobody');
    await page.getByText('There is no agent "nobody"').waitFor();
    await tab.open('/agents/odd');
    await page
      .getByText(String.raw`\u{202e}evil`)
      .first()
      .waitFor();
    expect(await inspect(tab, 'agent-hostile')).toEqual([]);
    await set(null);
  });

  it('tries to leave the sandbox of commands, or says why there is none', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents');
    const leave = page.getByRole('button', { name: 'Try to leave it' });
    await leave.or(page.getByText('There is none, because')).waitFor();
    if (await leave.isVisible()) {
      await pressEnter(leave);
      await page.getByRole('list', { name: 'What was tried' }).waitFor();
      expect(await inspect(tab, 'agents-sandbox')).toEqual([]);
    }
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'off' } });
    await set({ demo: acpProgram() });
    await tab.open('/agents/demo');
    await page.getByText('It runs with all your rights, in the modes ask and full only.').waitFor();
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'on' } });
    await set(null);
  });

  it('shows at once what somebody else adds and removes', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/agents');
    const agents = page.getByRole('list', { name: 'Agents' });
    await agents.getByRole('link', { name: 'Held' }).waitFor();
    await set({ demo: acpProgram() });
    const demo = agents.getByRole('link', { name: 'demo' });
    await demo.waitFor();
    await set(null);
    await demo.waitFor({ state: 'detached' });
    expect(tab.problems).toEqual([]);
  });

  it('shows others what there is, and that administrators change it', async () => {
    await set({ demo: { ...acpProgram(), env: { DEMO_KEY: 'secret-value' } } });
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    const { page } = tab;
    await tab.open('/agents?add=true');
    await page.getByText('Only administrators can add, change and test agents.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await inspect(tab, 'agents-other')).toEqual([]);
    const http = page.getByRole('listitem').filter({ hasText: 'HTTP' });
    await http.getByText('ask an administrator to set agents.http.url').waitFor();
    expect(await page.getByText('svc config set').count()).toBe(0);
    await tab.open('/agents/demo?edit=true');
    await page.getByText('Only administrators can test and change agents.').waitFor();
    await page.getByText('administrators, and tokens with agents:command').waitFor();
    for (const name of ['Test it', 'Remove', 'Save'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByText('DEMO_KEY').count()).toBe(0);
    expect(tab.problems).toEqual([]);
    await set(null);
  });

  it('says why the list cannot be read, and stays while the daemon is away', async () => {
    const before = await startDaemon();
    await using tab = await openTab(before);
    const { page } = tab;
    await page.route('**/api/agents', (route) =>
      route.fulfill({ status: 400, json: { error: 'The list is not well.', requestId: 'req_1' } }),
    );
    await tab.open('/agents');
    await page.getByRole('alert').getByText('The list is not well.').waitFor();
    await page.unrouteAll();
    await tryAgain(page, page.getByRole('link', { name: 'Claude Code' }));
    await page.getByText('Live', { exact: true }).waitFor();
    await before.stop();
    const check = page.getByRole('button', { name: 'Check again' });
    await until(async () => expect(await check.isDisabled()).toBe(true));
    await page.getByRole('link', { name: 'Claude Code' }).waitFor();
    const { port } = new URL(before.url);
    await using after = await startDaemon({ home: before.home, flags: { 'server.port': Number(port) } });
    await until(async () => expect(await check.isEnabled()).toBe(true));
    expect(after.url).toBe(before.url);
  });
});
