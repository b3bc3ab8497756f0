import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { locate } from '../../src/contract/locations.ts';
import { restoreCluster } from '../../src/core/backup/restore-cluster.ts';
import { restoreHome } from '../../src/core/backup/restore-home.ts';
import { storeBackup } from '../../src/core/backup/store-backup.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { version } from '../../src/core/version.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { isPro } from '../helpers/pro.ts';
import { newProEnvironment, placeSeed } from '../helpers/pro-environment.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';

const folder = memoryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let number = 0;

/** A backup of the daemon as a client writes it, checked. */
async function backUp({ url, headers }: TestDaemon) {
  const { body, status } = await fetch(`${url}/api/backups`, { method: 'POST', headers });
  expect(status).toBe(200);
  if (!body) throw new Error('no body');
  return storeBackup(Readable.fromWeb(body), join(folder, `${number++}.tar.gz`));
}

/** An empty home with a seed. */
function newHome(seed: string) {
  const home = mkdtempSync(join(folder, 'home-'));
  const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  placeSeed(locations.identityFile, seed);
  return { home, locations };
}

const done = [testAdapter(async () => ({ output: 'done' }))];
/** A minute from now, when no claim of the backup holds any more. */
const runtime = { ...systemRuntime, now: () => new Date(Date.now() + 60_000) };

describeCluster('backups of a cluster (need PostgreSQL and Redis)', () => {
  // In a run for mode pro there is no daemon in mode mini.
  it.skipIf(isPro)(
    'hold one moment while all daemons write, and bring everything to mini and to another cluster',
    async () => {
      const held = Promise.withResolvers<void>();
      const extraAdapters = [
        testAdapter(async ({ task }) => {
          if (task.title === 'Under way') await held.promise;
          return { output: 'done' };
        }),
      ];
      await using cluster = await startCluster(2, { extraAdapters });
      const { seed } = cluster.environment;
      const [first, second] = cluster.daemons as [TestDaemon, TestDaemon];
      await first.client.config.update({ params: { key: 'queue.retry.attempts' }, body: { value: 5 } });
      await second.client.config.update({
        params: { key: 'providers.openai.apiKey' },
        body: { value: 'sk-kept' },
      });
      const finished = await first.client.tasks.create({
        body: { title: 'Finished', assignedAgent: 'test' },
      });
      await follow(first.client, finished.task.id);
      const running = await second.client.tasks.create({
        body: { title: 'Under way', assignedAgent: 'test' },
      });
      await expect
        .poll(async () => (await first.client.tasks.get({ params: { id: running.task.id } })).task.status)
        .toBe('in_progress');
      let isWriting = true;
      let written = 0;
      const write = async ({ client }: TestDaemon) => {
        while (isWriting)
          await client.tasks.create({ body: { title: `Task ${written++}`, assignedAgent: 'test' } });
      };
      const writers = [write(first), write(second), write(second)];
      const stored = [await backUp(first), await backUp(second)];
      isWriting = false;
      await Promise.all(writers);
      held.resolve();
      const [{ manifest, file }] = stored as [(typeof stored)[0]];
      expect(manifest.files.map(({ name }) => name)).toEqual(['svc.db', 'settings.json']);

      for (const backup of stored) {
        const { home, locations } = newHome(seed);
        await restoreHome({ file: backup.file, locations, version, now: new Date() });
        const database = new DatabaseSync(join(home, 'svc.db'), { readOnly: true });
        const count = (query: string) => Number(Object.values(database.prepare(query).get() ?? {})[0]);
        const tasks = count('select count(*) from tasks');
        expect(tasks).toBeGreaterThan(2);
        expect(count('select sum(n) from task_counts')).toBe(tasks);
        expect(count("select count(*) from task_events where type = 'created'")).toBe(tasks);
        database.close();
      }

      const expectEverything = async (daemon: TestDaemon) => {
        const { client, app } = daemon;
        expect((await client.tasks.get({ params: { id: finished.task.id } })).task.status).toBe('completed');
        await expect
          .poll(async () => (await client.tasks.get({ params: { id: running.task.id } })).task.status, {
            timeout: 60_000,
          })
          .toBe('completed');
        const { tasks } = await client.tasks.filter({ query: { q: 'under way' } });
        expect(tasks.map(({ id }) => id)).toEqual([running.task.id]);
        expect(app.config.get('queue.retry.attempts')).toBe(5);
        expect(app.config.secret('providers.openai.apiKey')).toBe('sk-kept');
        expect(await client.audit.verify()).toMatchObject({ valid: true });
      };
      const mini = newHome(seed);
      await restoreHome({ file, locations: mini.locations, version, now: new Date() });
      await using alone = await startDaemon({ home: mini.home, extraAdapters: done, runtime });
      await expectEverything(alone);

      const environment = { ...(await newProEnvironment()), seed };
      const place = newHome(environment.seed);
      const server = { url: environment.env['DATABASE_URL'] ?? '', prepared: true };
      const report = await restoreCluster({
        file,
        locations: place.locations,
        server,
        version,
        now: new Date(),
      });
      expect(report.audit.valid).toBe(true);
      {
        await using other = await startDaemon({ cluster: environment, extraAdapters: done, runtime });
        await expectEverything(other);
        // And on from there: its backup goes back to mini.
        const back = newHome(seed);
        await restoreHome({
          file: (await backUp(other)).file,
          locations: back.locations,
          version,
          now: new Date(),
        });
        await using again = await startDaemon({ home: back.home, extraAdapters: done, runtime });
        await expectEverything(again);
      }
      await environment.remove();
    },
    120_000,
  );

  it('are made on schedule once for all daemons, and each daemon removes its own', async () => {
    let offset = 0;
    const clock = {
      now: () => new Date(Date.now() + offset),
      monotonic: () => performance.now() + offset,
    };
    const directories = ['one', 'two'].map((name) => join(folder, name));
    await using cluster = await startCluster(2, (index) => ({
      runtime: { ...systemRuntime, ...clock },
      flags: { 'backup.directory': directories[index] },
    }));
    const [one, two] = cluster.daemons as [TestDaemon, TestDaemon];
    const made = () =>
      directories.map((directory) => {
        try {
          return readdirSync(directory).filter((name) => name.startsWith('svc-backup-')).length;
        } catch {
          return 0;
        }
      });
    await one.client.config.update({ params: { key: 'backup.keep' }, body: { value: 2 } });
    await one.client.config.update({ params: { key: 'backup.every' }, body: { value: '24h' } });
    await expect.poll(() => two.app.config.get('backup.every')).toBe('24h');
    const look = (daemon: TestDaemon) => daemon.app.backupSchedule.runIfDue();
    await Promise.all([look(one), look(two)]);
    expect(made().toSorted((a, b) => a - b)).toEqual([0, 1]);
    const [maker, other] = made()[0] === 1 ? [one, two] : [two, one];
    const at = maker === one ? 0 : 1;
    for (let day = 0; day < 2; day++) {
      offset += 25 * 3_600_000;
      await look(other);
      await look(maker);
    }
    // Two are kept; the maker of the first one has removed it when it looked.
    expect(made()[at]).toBe(0);
    expect(made()[1 - at]).toBe(2);
    const { components } = await maker.client.health.getDetailed();
    expect(components.backups).toMatchObject({ status: 'healthy' });
  });
});
