import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { failingAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

describe.skipIf(!hasBrowser)('the page of dead letters (needs Chromium)', () => {
  let daemon: TestDaemon;
  const extraAdapters = [failingAdapter('verify_failed', '<b>It</b> went wrong \u202e')];
  beforeEach(async () => {
    daemon = await startDaemon({ extraAdapters });
  });
  afterEach(() => daemon[Symbol.asyncDispose]());
  afterAll(closeBrowser);

  async function fail(...titles: string[]): Promise<void> {
    for (const title of titles)
      await daemon.client.tasks.create({ body: { title, assignedAgent: 'test', maxAttempts: 1 } });
    await until(async () =>
      expect((await daemon.client.dlq.list()).items.map(({ title }) => title)).toEqual(
        expect.arrayContaining(titles),
      ),
    );
  }

  it('says what would be here', async () => {
    await using tab = await openTab(daemon);
    await tab.open('/dead-letters');
    await tab.page.getByText('Tasks that exhaust their attempts').waitFor();
    expect(await inspect(tab, 'dead-letters-empty')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('says what failed and what to do, and resolves several at once by keyboard', async () => {
    await fail('One', 'Two', 'Three <i>\u202e');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/dead-letters');
    const card = page.getByRole('article', { name: 'One' });
    await card.getByText('Verification failed').waitFor();
    await card.getByText('See which commands failed').waitFor();
    await card.getByText(String.raw`<b>It</b> went wrong \u{202e}`).waitFor();
    for (const name of ['Select One', 'Select Two']) {
      await page.getByRole('checkbox', { name }).focus();
      await page.keyboard.press('Space');
    }
    await page.getByText('2 tasks selected').waitFor();
    expect(await inspect(tab, 'dead-letters-selected')).toEqual([]);
    await pressEnter(page.getByRole('button', { name: 'Resolve 2' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('Mended the tests');
    expect(await inspect(tab, 'dead-letters-resolve')).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.getByText('2 tasks resolved.').waitFor();
    await pressEnter(dialog.getByRole('button', { name: 'Close' }));
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Resolved' }).press('Enter');
    await page.getByText('Resolved manually: Mended the tests').first().waitFor();
    await page.reload();
    await page.getByText('Resolved manually: Mended the tests').first().waitFor();
    await page.getByRole('link', { name: 'Pending' }).press('Enter');
    await pressEnter(page.getByRole('button', { name: 'Resolve' }));
    await pressEnter(dialog.getByRole('button', { name: 'Resolve' }));
    await dialog.getByText('1 task resolved.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('shows more than fits one page, and discards all of them', async () => {
    await fail('Seed');
    const [seed] = (await daemon.client.dlq.list()).items;
    await daemon.app.database.write(async ({ db }) => {
      const row = await db.selectFrom('dead_letters').selectAll().executeTakeFirstOrThrow();
      await db
        .insertInto('dead_letters')
        .values(
          Array.from({ length: 249 }, (_, at) => ({
            ...row,
            id: `${row.id}-${String(at).padStart(3, '0')}`,
          })),
        )
        .execute();
    });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/dead-letters');
    await page.getByText('100 of 250').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Show more' }));
    await page.getByText('200 of 250').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Show more' }));
    await until(async () => expect(await page.getByRole('article').count()).toBe(250));
    await pressEnter(page.getByRole('button', { name: 'Select all 250' }));
    await page.getByText('250 tasks selected').waitFor();
    await pressEnter(page.getByRole('button', { name: 'Discard 250' }));
    await pressEnter(page.getByRole('dialog').getByRole('button', { name: 'Discard 250' }));
    await page.getByText('250 tasks discarded.').waitFor();
    expect(seed?.title).toBe('Seed');
    expect((await daemon.client.dlq.list()).total).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('says which could not be done', async () => {
    await fail('One', 'Two');
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/dead-letters');
    // It reads once it is connected, and must have done so before the next step changes what it reads.
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Select all 2' }).click();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    // Somebody else was faster.
    const { items } = await daemon.client.dlq.list();
    const one = items.find(({ title }) => title === 'One');
    await daemon.client.dlq.discard({ params: { id: one?.id ?? '' } });
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 2' }).click();
    await page.getByText('1 task queued again.').waitFor();
    await page
      .getByRole('alert')
      .getByText(/^One: /)
      .waitFor();
    expect(tab.problems.filter((line) => !line.includes('409') && !line.includes('400'))).toEqual([]);
  });

  it('shows new ones without a reload, keeps them through a restart, and none of other users', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/dead-letters');
    await page.getByText('Live', { exact: true }).waitFor();
    await fail('Late');
    const card = page.getByRole('article', { name: 'Late' });
    await card.waitFor();
    const { home, url } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await card.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true);
    daemon = await startDaemon({ extraAdapters, home, flags: { 'server.port': Number(new URL(url).port) } });
    await page.getByText('Live', { exact: true }).waitFor();
    await card.waitFor();
    await until(async () => expect(await card.getByRole('button', { name: 'Retry' }).isEnabled()).toBe(true));
    const ann = await addUser(daemon, 'ann');
    await using other = await openTab(daemon, { user: ann });
    await other.open('/dead-letters');
    await other.page.getByText('Tasks that exhaust their attempts').waitFor();
    expect(await other.page.getByText('Late').count()).toBe(0);
  });
});
