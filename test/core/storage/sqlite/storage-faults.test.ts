import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../../../src/core/storage/sqlite/open-sqlite.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { until } from '../../../helpers/tasks.ts';
import { factsIn, keep, openTestDatabase, type TestDatabase, watchWriter } from './test-database.ts';

const ready = async ({ url }: TestDaemon) => {
  const response = await fetch(`${url}/api/health/ready`);
  return { status: response.status, body: (await response.json()) as { status: string; reason?: string } };
};
const detailed = async ({ url, headers }: TestDaemon) => {
  const response = await fetch(`${url}/api/health/detailed`, { headers });
  const report = (await response.json()) as {
    status: string;
    components: { storage: { status: string; message: string; details: { fault?: string } } };
  };
  return { ...report.components.storage, code: response.status, overall: report.status };
};
const create = ({ client }: TestDaemon) => client.tasks.create({ body: { title: 'A task' } });

/** Another file by the name of this one. */
function replace(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

describe('a database that is taken away from a running daemon', () => {
  it.each([
    [
      'deleted',
      'svc.db',
      (path: string) => rmSync(path),
      'missing',
      /svc\.db .* was deleted.*restore a backup/,
    ],
    ['replaced', 'svc.db', replace, 'replaced', /svc\.db .* was replaced.*svc daemon restart/],
    ['deleted', 'svc.db-wal', (path: string) => rmSync(path), 'missing', /-wal\) was deleted/],
    ['replaced', 'svc.db-wal', replace, 'replaced', /-wal\) was replaced/],
  ])(
    '%s %s: stops acknowledging at the next write and says what to do',
    async (_, name, harm, kind, text) => {
      await using daemon = await startDaemon();
      await create(daemon);
      expect(await ready(daemon)).toMatchObject({ status: 200, body: { status: 'ready' } });
      harm(join(daemon.home, name));
      await expect(create(daemon)).rejects.toMatchObject({
        status: 503,
        message: expect.stringMatching(text) as string,
      });
      expect(await ready(daemon)).toMatchObject({
        status: 503,
        body: { status: 'unavailable', reason: expect.stringMatching(text) as string },
      });
      expect(await detailed(daemon)).toMatchObject({
        code: 503,
        overall: 'unhealthy',
        status: 'unhealthy',
        message: expect.stringMatching(text) as string,
        details: { fault: kind },
      });
      // What is known already can still be read.
      expect((await daemon.client.tasks.list()).total).toBe(1);
    },
  );

  it('is noticed without a write, too', async () => {
    await using daemon = await startDaemon();
    rmSync(join(daemon.home, 'svc.db'));
    expect(await ready(daemon)).toMatchObject({ status: 503, body: { status: 'unavailable' } });
  });

  it('does not run a write again whose file cannot be looked at after the commit', async () => {
    await using test = await openTestDatabase();
    const folder = dirname(test.file);
    let runs = 0;
    const outcomes = await Promise.allSettled(
      ['fact-a', 'fact-b'].map((key) =>
        test.database.write(async (transaction) => {
          await keep(key)(transaction);
          if (++runs < 2) return;
          // From here on the path leads nowhere, which is neither a missing file nor another one.
          renameSync(folder, `${folder}.away`);
          symlinkSync(folder, folder);
        }),
      ),
    );
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'unavailable', message: expect.stringContaining('its disk') } },
      { status: 'rejected', reason: { code: 'unavailable' } },
    ]);
    expect(runs).toBe(2);
    await test.database.write(keep('fact-c'));
    expect(factsIn(test.file)).toEqual(['fact-a', 'fact-b', 'fact-c']);
  });

  it('does not acknowledge a write during which it was taken away', async () => {
    await using test = await openTestDatabase();
    await expect(
      test.database.write(async (transaction) => {
        await keep('fact')(transaction);
        rmSync(test.file, { force: true });
      }),
    ).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a lock that is taken away', () => {
  it('makes the daemon unhealthy: another one could use its data', async () => {
    await using daemon = await startDaemon();
    rmSync(join(daemon.home, 'daemon.lock'));
    expect(await ready(daemon)).toMatchObject({ status: 503, body: { reason: /daemon\.lock/ } });
    expect(await detailed(daemon)).toMatchObject({ status: 'unhealthy', details: { fault: 'unlocked' } });
  });
});

describe('a disk without space', () => {
  it('makes the daemon unready from the first refused write until a write as large is taken', async () => {
    const { opened, writer } = await watchWriter(() => startDaemon());
    await using daemon = opened;
    const limit = (pages: number) => writer.exec(`pragma max_page_count = ${pages}`);
    limit(Number(writer.prepare('pragma page_count').get()?.['page_count']));
    const long = { title: 'A task', prompt: 'x'.repeat(100_000) };
    await until(() =>
      expect(daemon.client.tasks.create({ body: long })).rejects.toMatchObject({ status: 507 }),
    );
    expect(await ready(daemon)).toMatchObject({ status: 503, body: { reason: /is full.*Free some space/ } });
    expect(await detailed(daemon)).toMatchObject({ status: 'unhealthy', details: { fault: 'full' } });
    limit(1_073_741_823);
    await until(async () => expect((await ready(daemon)).status).toBe(200));
    expect(await detailed(daemon)).toMatchObject({ status: 'healthy', details: {} });
  });
});

/** Writes nonsense over pages of the table that the connection that reads has not read yet. */
async function damage({ database, writer, file }: TestDatabase): Promise<void> {
  await database.write(async (transaction) => {
    for (let n = 0; n < 300; n++) await keep(`fact ${n}`, 'x'.repeat(2000))(transaction);
  });
  writer.exec('pragma wal_checkpoint(truncate)');
  const handle = openSync(file, 'r+');
  const from = statSync(file).size - 4096 * 100;
  writeSync(handle, Buffer.alloc(4096 * 50, 0xff), 0, 4096 * 50, from);
  closeSync(handle);
}

describe('damage that a read sees', () => {
  it('is translated as for writes, and nothing more is stored', async () => {
    await using test = await openTestDatabase();
    await damage(test);
    const read = test.database.read.selectFrom('state').selectAll().execute();
    await expect(read).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The database is damaged, or its disk cannot be read. Check it: svc health --detailed',
    });
    expect(test.database.fault()).toMatchObject({ kind: 'damaged' });
    await expect(test.database.write(keep('fact later'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /is damaged, or its disk cannot be read.*restart the daemon.*restore a backup/,
      ) as string,
    });
  });
});

describe('a read-only disk', () => {
  it('is a fault from the first refused write until a try succeeds', async () => {
    await using test = await openTestDatabase();
    test.writer.exec('pragma query_only = on');
    await expect(test.database.write(keep('fact'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(test.database.fault()).toMatchObject({
      kind: 'read_only',
      message: /read-only.*Make it writable/,
    });
    test.writer.exec('pragma query_only = off');
    expect(await test.database.checkNow()).toBeUndefined();
  });
});

describe('a database that another program holds', () => {
  it('is a fault once nothing could be written for 10 seconds, and no longer when it is free', async () => {
    await using test = await openTestDatabase();
    await test.database.close();
    let now = 0;
    const database = await openSqlite({
      file: test.file,
      synchronous: 'FULL',
      cacheMiB: 2,
      reportBug: (error) => test.bugs.push(error),
      monotonic: () => now,
    });
    test.database = database;
    const other = new DatabaseSync(test.file);
    other.exec('begin immediate');
    await expect(database.write(keep('fact 1'))).rejects.toMatchObject({ code: 'unavailable' });
    now = 9999;
    expect(database.fault()).toBeUndefined();
    now = 10_000;
    expect(database.fault()).toMatchObject({ kind: 'stuck', message: /for 10 seconds.*close it/ });
    other.exec('rollback');
    other.close();
    now = 20_000;
    expect(await database.checkNow()).toBeUndefined();
    await database.write(keep('fact 2'));
    expect(factsIn(test.file)).toEqual(['fact 2']);
    expect(test.bugs).toEqual([]);
  });
});
