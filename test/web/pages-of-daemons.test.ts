import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter } from '../helpers/browser.ts';
import { describeCluster, startCluster, type TestCluster } from '../helpers/cluster.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { isPro } from '../helpers/pro.ts';
import { heldAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the daemons of a cluster (needs Chromium)', () => {
  describeCluster('with two daemons', () => {
    let cluster: TestCluster;
    let daemon: TestDaemon;
    const held = [heldAdapter(), heldAdapter()];
    beforeAll(async () => {
      cluster = await startCluster(2, (index) => ({
        env: {
          SVC_DAEMON_NAME: ['web-1', 'gpu-1'][index] ?? '',
          SVC_DAEMON_HOST: ['box-1', 'box-2'][index] ?? '',
          ...(index === 1 && { SVC_DAEMON_LABELS: 'gpu,large' }),
        },
        extraAdapters: held.slice(index, index + 1).map(({ adapter }) => adapter),
      }));
      const [first] = cluster.daemons as [TestDaemon];
      daemon = first;
      await until(() => expect(daemon.app.membership?.others).toHaveLength(1));
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    it('are listed with what they run, and taken out of service and back', async () => {
      await using tab = await openTab(daemon);
      const { page } = tab;
      await tab.open('/settings/daemons');
      const row = (host: string) =>
        page.getByRole('list', { name: 'Daemons' }).getByRole('listitem').filter({ hasText: host });
      await row('gpu-1').getByText('Labels: gpu, large').waitFor();
      await row('gpu-1').getByText('on box-2').waitFor();
      await row('web-1').getByText('sent this page').waitFor();
      expect(await inspect(tab, 'daemons')).toEqual([]);
      await pressEnter(row('gpu-1').getByRole('button', { name: 'Drain gpu-1' }));
      await page.getByRole('dialog', { name: 'Drain gpu-1?' }).waitFor();
      expect(await inspect(tab, 'daemons-drain')).toEqual([]);
      await pressEnter(page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true }));
      await row('gpu-1').getByText('drained', { exact: true }).waitFor();
      await pressEnter(row('gpu-1').getByRole('button', { name: 'Resume gpu-1' }));
      await row('gpu-1').getByText('ready', { exact: true }).waitFor();
      expect(tab.problems).toEqual([]);
    });

    it('are named by the tasks that they run, in the list and on the page of the task', async () => {
      const { task } = await daemon.client.tasks.create({
        body: { title: 'Train it', assignedAgent: 'test', needs: ['gpu'] },
      });
      const run = await held[1]?.started(0);
      await using tab = await openTab(daemon);
      const { page } = tab;
      await tab.open('/tasks');
      await page.getByText('test · gpu-1').waitFor();
      expect(await inspect(tab, 'tasks-of-daemons')).toEqual([]);
      await tab.open(`/tasks/${task.id}`);
      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByText('gpu-1').waitFor();
      await details.getByText('box-2').waitFor();
      await details.getByText('gpu', { exact: true }).waitFor();
      expect(await inspect(tab, 'task-of-a-daemon')).toEqual([]);
      run?.succeed();
      await page.getByText('Completed').first().waitFor();
      await details.getByText('gpu-1').waitFor();
      expect(tab.problems).toEqual([]);
    });

    it('are shown to administrators only', async () => {
      const dan = await addUser(daemon, 'dan');
      await using tab = await openTab(daemon, { user: dan });
      await tab.open('/settings/daemons');
      await tab.page.getByText('Only administrators of this daemon see these settings.').waitFor();
      expect(await tab.page.getByText('gpu-1').count()).toBe(0);
    });
  });

  it.skipIf(isPro)('has one row where the daemon is alone, which cannot be drained', async () => {
    await using daemon = await startDaemon();
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/settings/daemons');
    await page.getByText('This daemon is alone.').waitFor();
    const rows = page.getByRole('list', { name: 'Daemons' }).getByRole('listitem');
    await rows.getByText('ready').waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByRole('button', { name: /^Drain/ }).count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });
});
