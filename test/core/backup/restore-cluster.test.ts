import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { copyCluster } from '../../../src/core/backup/copy-cluster.ts';
import { restoreCluster } from '../../../src/core/backup/restore-cluster.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { fill, makeHome, makeServer, rowsOf, seed } from '../moving/moving-samples.ts';
import { manifestOf, type SampleEntry, tarOf } from './backup-samples.ts';

const root = memoryFolder();
afterAll(() => rmSync(root, { recursive: true, force: true }));
let number = 0;

const archive: SampleEntry = { name: 'archive/audit-1-2.jsonl.gz', content: gzipSync('archived') };
const settings: SampleEntry = {
  name: 'settings.json',
  content: Buffer.from(JSON.stringify({ queue: { retry: { attempts: 7 } }, server: { port: 4399 } })),
};
const identity: SampleEntry = { name: 'identity', content: Buffer.from(`${seed}\n`) };

/** A backup of a home with so many rows in every table, and the rows. */
async function makeBackup(rows: number, last: SampleEntry[] = []) {
  using home = await makeHome();
  fill(home.databaseFile, rows);
  const files = [{ name: 'svc.db', content: readFileSync(home.databaseFile) }, settings, archive];
  const file = join(root, `${number++}.tar.gz`);
  writeFileSync(file, gzipSync(tarOf([manifestOf(files), ...files, ...last])));
  return { file, rows: rowsOf(home.databaseFile) };
}

const now = new Date('2026-11-27T07:00:00Z');
type Options = Parameters<typeof restoreCluster>[0];
const restore = (options: Pick<Options, 'file' | 'locations' | 'server'> & Partial<Options>) =>
  restoreCluster({ version: '0.1.0', now, ...options });

/** What a backup of the cluster holds. */
async function filesOf(server: Options['server']) {
  const directory = join(root, `${number++}`);
  mkdirSync(directory);
  await copyCluster(server, directory);
  return {
    names: readdirSync(directory).toSorted(),
    rows: rowsOf(join(directory, 'svc.db')),
    settings: JSON.parse(readFileSync(join(directory, 'settings.json'), 'utf8')) as unknown,
  };
}

describe.skipIf(!hasPostgres)('a restore into PostgreSQL (needs PostgreSQL)', { timeout: 180_000 }, () => {
  it('brings every row, the shared settings and the archives, and a backup of it holds the same', async () => {
    const backup = await makeBackup(1001);
    using home = await makeHome();
    await using postgres = await makeServer();
    const { server } = postgres;
    const steps: string[] = [];
    const report = await restore({
      file: backup.file,
      locations: home,
      server,
      onProgress: ({ text, done, total }) => steps.push(`${text} ${done}/${total}`),
    });
    const total = report.tables.reduce((sum, { rows }) => sum + rows, 0);
    expect(total).toBeGreaterThan(40_000);
    expect(steps).toContain(`copying rows ${total}/${total}`);
    expect(steps).toContain(`comparing rows ${total}/${total}`);
    expect(steps.at(-1)).toMatch(/^indexing the texts of tasks (\d+)\/\1$/);
    expect(report).toMatchObject({
      identity: 'kept',
      settings: ['queue.retry.attempts'],
      archives: [join(home.data, 'archive', 'audit-1-2.jsonl.gz')],
      audit: { valid: true },
      wasComplete: false,
      changed: 0,
    });
    expect(readFileSync(report.archives[0] ?? '')).toEqual(archive.content);
    expect(readdirSync(home.data).filter((name) => name.startsWith('.restore-'))).toEqual([]);
    expect(await postgres.query("select nextval('task_seq') > 1010 as above")).toEqual([{ above: true }]);

    expect(await filesOf(server)).toEqual({
      names: ['settings.json', 'svc.db'],
      rows: backup.rows,
      settings: { queue: { retry: { attempts: 7 } } },
    });
  });

  it('brings the seed along where the machine has none, and refuses to start without one', async () => {
    using home = await makeHome();
    rmSync(home.identityFile);
    await using postgres = await makeServer();
    const without = await makeBackup(3);
    await expect(restore({ file: without.file, locations: home, server: postgres.server })).rejects.toThrow(
      /identity is missing.*svc devices identity --restore/,
    );
    expect(existsSync(home.identityFile)).toBe(false);
    const { file } = await makeBackup(3, [identity]);
    expect(await restore({ file, locations: home, server: postgres.server })).toMatchObject({
      identity: 'restored',
    });
    expect(readFileSync(home.identityFile, 'utf8')).toBe(`${seed}\n`);
  });

  it('refuses another seed, a running daemon and a database with other rows, and changes nothing', async () => {
    const { file } = await makeBackup(3, [identity]);
    using home = await makeHome();
    await using postgres = await makeServer();
    const { server } = postgres;
    writeFileSync(home.identityFile, `${'11'.repeat(32)}\n`, { mode: 0o600 });
    const refused = async (expected: RegExp) => {
      await expect(restore({ file, locations: home, server })).rejects.toThrow(expected);
      expect(readdirSync(home.data).filter((name) => /^\.restore|archive/.test(name))).toEqual([]);
    };
    await refused(/is not the identity under which/);
    expect(await postgres.query('select * from users')).toEqual([]);
    writeFileSync(home.identityFile, `${seed}\n`, { mode: 0o600 });
    await postgres.query(`insert into daemons (id, host, version, role, started_at, seen_at) values ('d', 'host-a', '1', 'all', '',
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`);
    await refused(/Daemons of the cluster run: host-a. Stop them all first/);
    await postgres.query('delete from daemons');
    await postgres.query("insert into state (key, value) values ('identity_check', 'x')");
    await refused(/is not empty, and a restore replaces nothing. Create an empty database/);
    expect(await postgres.query('select key from state')).toEqual([{ key: 'identity_check' }]);
  });

  it('leaves the database empty when it is stopped half-way, and can be repeated until it is complete', async () => {
    const { file, rows } = await makeBackup(30);
    using home = await makeHome();
    await using postgres = await makeServer();
    const { server } = postgres;
    const stopping = new AbortController();
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      if (total > 0 && done > total / 2) stopping.abort(new Error('stopped'));
    };
    const { signal } = stopping;
    await expect(restore({ file, locations: home, server, onProgress, signal })).rejects.toThrow('stopped');
    expect(await postgres.query('select * from users')).toEqual([]);
    expect(await restore({ file, locations: home, server })).toMatchObject({ wasComplete: false });
    // As after a kill between the commit and the report.
    expect(await restore({ file, locations: home, server })).toMatchObject({ wasComplete: true });
    expect((await filesOf(server)).rows).toEqual(rows);
  });

  it('keeps an archive that is there and differs', async () => {
    const { file } = await makeBackup(2);
    using home = await makeHome();
    await using postgres = await makeServer();
    mkdirSync(join(home.data, 'archive'));
    writeFileSync(join(home.data, 'archive', 'audit-1-2.jsonl.gz'), 'of another cluster');
    const { archives } = await restore({ file, locations: home, server: postgres.server });
    expect(readFileSync(archives[0] ?? '')).toEqual(archive.content);
    const kept = join(home.data, 'before-restore-2026-11-27T07-00-00Z', 'archive', 'audit-1-2.jsonl.gz');
    expect(readFileSync(kept, 'utf8')).toBe('of another cluster');
  });

  it('pauses the queue on request', async () => {
    const { file } = await makeBackup(2);
    using home = await makeHome();
    await using postgres = await makeServer();
    await restore({ file, locations: home, server: postgres.server, isPaused: true });
    expect(await postgres.query("select value from state where key = 'queue_paused'")).toEqual([
      { value: 'true' },
    ]);
  });

  it('a backup by an older svc than the schema is refused, because it would lack what was added', async () => {
    const { file } = await makeBackup(2);
    using home = await makeHome();
    await using postgres = await makeServer();
    await restore({ file, locations: home, server: postgres.server });
    await postgres.query("insert into schema_migrations values ('9999-later', '', false)");
    await expect(filesOf(postgres.server)).rejects.toThrow(/upgraded by a newer svc \(it has 9999-later\)/);
  });
});
