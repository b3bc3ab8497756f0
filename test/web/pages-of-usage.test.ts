import { afterAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

/** Usage of the last days by two agents, one of which does not say what it costs. */
async function fill({ app, client }: TestDaemon): Promise<string> {
  const { task } = await client.tasks.create({
    body: { title: 'Fix the <b>login</b>\u202e test', held: true } as never,
  });
  const rows = Array.from({ length: 20 }, (_, ago) =>
    [
      {
        agent: 'claude',
        task_id: task.id,
        cost_usd: ((ago * 7) % 11) / 4,
        unknown_calls: 0,
        model: 'claude-opus-5-5',
      },
      { agent: 'codex', task_id: '', cost_usd: 0, unknown_calls: 2, model: 'gpt-5.5' },
    ].map((row) => ({
      ...row,
      day: new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
      owner_id: 'user_owner',
      token_id: '',
      provider: '',
      repository: 'acme/shop',
      conversation_id: '',
      input_tokens: 120_000,
      output_tokens: 8000,
      cached_tokens: 40_000,
      calls: 12,
    })),
  ).flat();
  const today = rows[0]?.day ?? '';
  await app.database.write(async ({ db }) => {
    await db.insertInto('usage').values(rows).execute();
    await db
      .insertInto('usage_days')
      .values([
        { day: today, scope: 'all', tokens: 1_700_000, cost_usd: 3 },
        { day: today, scope: 'agent:claude', tokens: 900_000, cost_usd: 12 },
      ])
      .execute();
  });
  return task.id;
}

describe.skipIf(!hasBrowser)('the page of usage (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('says what will be here while no model was called', async () => {
    await using daemon = await startDaemon();
    await using tab = await openTab(daemon);
    await tab.open('/usage');
    await tab.page.getByText('What models use and cost is shown here').waitFor();
    await tab.page.getByText('No budget is set.').waitFor();
    expect(await inspect(tab, 'usage-empty')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows totals, days, what is chosen, and budgets, at every width and in every theme', async () => {
    await using daemon = await startDaemon({
      flags: {
        budgets: [
          { scope: 'all', period: 'day', tokens: 2_000_000, onReached: 'ask' },
          { scope: 'agent', match: 'claude', period: 'month', usd: 10, onReached: 'stop' },
          { scope: 'task', period: 'run', tokens: 500_000, onReached: 'stop' },
        ],
      },
    });
    const id = await fill(daemon);
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/usage');
    const table = page.getByRole('region', { name: 'Usage by Agent' });
    await table.getByRole('row', { name: /^codex/ }).waitFor();
    const rows = await table.getByRole('row').allTextContents();
    expect(rows[1]).toMatch(/^claude240.*\$2[0-9.]+$/);
    expect(rows[2]).toMatch(/^codex240.*unknown$/);
    await page.getByText('The cost of 40 calls is not known').waitFor();
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByText('The day', { exact: true }).waitFor();
    expect(await budgets.textContent()).toMatch(/1\.7m of 2m tokens \(85%\).*\$12\.00 of \$10\.00 \(120%\)/);
    expect(await inspect(tab, 'usage')).toEqual([]);
    await page.getByRole('navigation', { name: 'Add up by' }).getByRole('link', { name: 'Task' }).click();
    const link = page.getByRole('link', { name: /Fix the <b>login/ });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`/tasks/${id}`);
    expect(page.url()).toContain('by=task');
    await page.getByRole('link', { name: '7 days' }).click();
    await until(async () =>
      expect(await page.getByRole('region', { name: 'Usage by Task' }).getByRole('row').count()).toBe(3),
    );
    expect(page.url()).toMatch(/by=task/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('usage-by-task.csv');
    expect(tab.problems).toEqual([]);
  });

  it('shows a user nothing of others', async () => {
    await using daemon = await startDaemon({ flags: { 'limits.tokensPerDay': 2_000_000 } });
    await fill(daemon);
    const user = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user });
    await tab.open('/usage');
    await tab.page.getByText('What models use and cost is shown here').waitFor();
    await tab.page.getByText('No budget is set.').waitFor();
    expect(await tab.page.textContent('main')).not.toMatch(/claude|acme/);
    expect(tab.problems).toEqual([]);
  });
});
