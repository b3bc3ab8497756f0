import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { ensureBuilt, SvcHome } from '../cli/svc-binary.ts';
import { closeBrowser, hasBrowser, openTab } from '../helpers/browser.ts';
import { until } from '../helpers/tasks.ts';

interface LivePage {
  path: string;
  /** What is there before the kill, and stays while the daemon is away. */
  before: string;
  /** What is there afterwards without a reload. */
  after: string;
}

const pages: readonly LivePage[] = [
  { path: '/', before: 'Nothing is running.', after: 'The first task' },
  { path: '/tasks', before: 'There are no tasks yet.', after: 'The first task' },
  { path: '/tasks?view=board', before: 'Waiting', after: 'The first task' },
  { path: '/dead-letters', before: 'Dead letters', after: 'It cannot work' },
  { path: '/schedules', before: 'Schedules', after: 'Once a day' },
  { path: '/experiences', before: 'Experiences', after: 'Mind the gap' },
  { path: '/webhooks', before: 'Webhooks', after: 'https://receiver.example/hook' },
  { path: '/chat', before: 'Your conversations are listed here.', after: 'About the gap' },
  { path: '/agents', before: 'Claude Code', after: 'second-hand' },
  { path: '/settings/tokens', before: 'Tokens', after: 'For the build' },
];

/** Makes something happen that each of the pages shows. */
async function happen(client: Client): Promise<void> {
  const command = { assignedAgent: 'command', maxAttempts: 1 } as const;
  await client.tasks.create({ body: { title: 'The first task', prompt: 'true', ...command } });
  await client.tasks.create({ body: { title: 'It cannot work', prompt: 'false', ...command } });
  await client.schedules.create({
    body: { name: 'Once a day', cron: '0 9 * * *', task: { title: 'Daily', prompt: 'x' } },
  });
  await client.experiences.create({
    body: { type: 'task_solution', intent: 'Mind the gap', solution: ['Look down.'] },
  });
  await client.webhooks.create({
    body: { url: 'https://receiver.example/hook', events: ['task.completed'] },
  });
  await client.conversations.create({ body: { title: 'About the gap' } });
  await client.config.update({
    params: { key: 'agents.added' },
    body: { value: { 'second-hand': { program: '/bin/true', args: [], env: {} } } },
  });
  await client.tokens.create({ body: { name: 'For the build', scopes: ['tasks:read'] } });
}

describe.skipIf(!hasBrowser)('pages whose daemon is killed (needs Chromium)', () => {
  beforeAll(ensureBuilt);
  afterAll(closeBrowser);

  it('stay as they are, and show what happened once it is back', { timeout: 180_000 }, async () => {
    await using home = await SvcHome.create();
    expect((await home.svc(['daemon', 'start'])).code).toBe(0);
    const headers = {
      cookie: `${sessionCookie}=${readFileSync(join(home.folder, 'owner-session'), 'utf8')}`,
    };
    const url = `http://127.0.0.1:${home.port}`;
    const client = createClient(contract, { baseUrl: url, fetch: (to, init) => fetch(to, init), headers });
    await using tab = await openTab({ url, headers });
    const open = await Promise.all(
      pages.map(async (each) => {
        const page = await tab.context.newPage();
        await page.goto(new URL(each.path, url).href);
        await page.getByText(each.before).first().waitFor();
        await page.getByText('Live', { exact: true }).waitFor();
        return { ...each, page };
      }),
    );
    process.kill(home.daemonPid, 'SIGKILL');
    for (const { page, before } of open) {
      await page.getByText('Reconnecting…').first().waitFor({ state: 'attached' });
      expect(await page.getByText(before).first().isVisible()).toBe(true);
    }
    // Agents and tokens of others come with the reading after a connection, which must not be faster than they are.
    await tab.context.setOffline(true);
    expect((await home.svc(['daemon', 'start'])).code).toBe(0);
    await happen(client);
    await tab.context.setOffline(false);
    const missing: string[] = [];
    for (const { page, path, after } of open)
      await until(async () => expect(await page.getByText(after).count()).toBeGreaterThan(0)).catch(() =>
        missing.push(path),
      );
    expect(missing).toEqual([]);
  });
});
